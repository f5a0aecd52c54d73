import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import OpenAI from 'openai';
import { CLIENT_HEADER } from '#server/platform/auth/trusted-headers';
import type { ModelOverrides } from '#server/models/model-registry';
import type { Services } from '#server/services';
import { type FakeOpenRouter, type FakeOpenRouterOptions, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { startLoopback } from '#tests/support/loopback-server';
import { summaryText } from '#tests/support/openrouter-chat';
import type { RecordedRequest } from '#tests/support/request-log';
import { startTestServices } from '#tests/support/test-services';
import { isSummaryRequest } from '#tests/support/summary-requests';

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;
const routes = import.meta.glob<Record<string, Handler>>('/app/v1/**/route.ts', { eager: true });

export interface CompletionsServer extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly services: Services;
  readonly provider: FakeOpenRouter;
  /** The official client, which tries nothing twice. */
  readonly openai: OpenAI;
  /** The requests for an answer, summaries left out; and those. */
  readonly steps: () => RecordedRequest[];
  readonly summaries: () => RecordedRequest[];
  /** The most summaries that one conversation has had, as the answers reported. */
  readonly rounds: () => number;
}

export interface CompletionsServerOptions {
  /** The provider's side; requests for a summary get one unless `summary` says otherwise. */
  readonly respond: FakeOpenRouterOptions['respond'];
  readonly summary?: FakeOpenRouterOptions['respond'];
  readonly env?: Readonly<Record<string, string>>;
  readonly overrides?: ModelOverrides;
}

const globals = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };

/**
 * The routes of /v1 on a separate port, with a provider that speaks OpenRouter's format and that of a local server
 * (`local/...`). The window is 16,000 tokens. One at a time per process.
 */
export async function startCompletionsServer(options: CompletionsServerOptions): Promise<CompletionsServer> {
  const { respond, summary = () => ({ text: summaryText }), env = {}, overrides } = options;
  const provider = await startFakeOpenRouter({
    respond: (request, index) => (isSummaryRequest(request) ? summary : respond)(request, index),
  });
  const services = await startTestServices(
    {
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      OPENAI_COMPATIBLE_BASE_URL: provider.baseUrl,
      DEFAULT_MODEL: 'openai/gpt-4o',
      CONTEXT_WINDOW: '16000',
      CONTEXT_STEP_RETRY_DELAY_MS: '1',
      ...env,
    },
    overrides,
  );
  globals.throughlineServices = Promise.resolve(services);
  let rounds = 0;
  const server = await startLoopback((incoming, outgoing) => {
    outgoing.on('finish', () => (rounds = Math.max(rounds, Number(outgoing.getHeader('x-throughline-round') ?? 0))));
    void serve(incoming, outgoing);
  });
  const baseUrl = `${server.url}/v1`;
  const requests = (wanted: boolean) => provider.requests.filter((each) => isSummaryRequest(each) === wanted);
  return {
    baseUrl,
    services,
    provider,
    openai: new OpenAI({ apiKey: 'any', baseURL: baseUrl, maxRetries: 0 }),
    steps: () => requests(false),
    summaries: () => requests(true),
    rounds: () => rounds,
    async [Symbol.asyncDispose]() {
      await server.close();
      await services[Symbol.asyncDispose]();
      delete globals.throughlineServices;
      await provider.close();
    },
  };
}

/** The route of an address, as Next finds it. */
function routeOf(path: string): { readonly name: string; readonly params: object } {
  if (`/app${path}/route.ts` in routes) return { name: path, params: {} };
  const response = /^\/v1\/responses\/([^/]+)$/.exec(path)?.[1];
  if (response !== undefined) return { name: '/v1/responses/[id]', params: { id: response } };
  const id = /^\/v1\/models\/(.+)$/.exec(path)?.[1];
  return id === undefined
    ? { name: '/v1/[[...path]]', params: {} }
    : { name: '/v1/models/[...id]', params: { id: id.split('/') } };
}

/** What Next does with a request of a route: headers as they came, a signal for a client that goes away. */
async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  headers.set(CLIENT_HEADER, '127.0.0.1');
  const { method = 'GET', url = '/' } = incoming;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const request = new Request(new URL(url, 'http://127.0.0.1'), {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: 'half' }),
  });
  const { name, params } = routeOf(new URL(request.url).pathname);
  const handler = routes[`/app${name}/route.ts`]?.[method];
  if (!handler) return void outgoing.writeHead(405).end();
  const response = await handler(request, { params: Promise.resolve(params) });
  outgoing.setHeaders(response.headers).writeHead(response.status);
  if (!response.body) return void outgoing.end();
  outgoing.flushHeaders();
  // A client that is gone breaks the pipe, which cancels the body.
  await pipeline(response.body, outgoing).catch(() => undefined);
}
