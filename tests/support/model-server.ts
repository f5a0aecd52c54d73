import { text as readAll } from 'node:stream/consumers';
import type { Session } from '#server/core/conversation/sessions';
import type { Services } from '#server/services';
import { startLoopback } from '#tests/support/loopback-server';
import { summaryText } from '#tests/support/openrouter-chat';
import { startTestServices } from '#tests/support/test-services';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** A message of a request in the chat completions format. */
export interface SentMessage {
  readonly role: string;
  readonly content: string | null | readonly { readonly type: string; readonly text?: string }[];
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

/** A chat completions request as a server reads it. */
export interface SentBody {
  readonly model: string;
  readonly messages: readonly SentMessage[];
  readonly tools?: readonly unknown[] | undefined;
  readonly stream?: boolean;
  readonly max_tokens?: number;
}

/** What the server answers: bytes of an event stream, or a status with JSON. */
export type ServerAnswer = { readonly sse: string } | { readonly status: number; readonly json: unknown };

export interface ModelServer extends AsyncDisposable {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Bodies of all chat requests so far. */
  readonly bodies: readonly SentBody[];
  /** Paths of all other requests so far. */
  readonly asked: readonly string[];
}

interface ModelServerOptions {
  readonly answer: (body: SentBody, index: number) => ServerAnswer | undefined | Promise<ServerAnswer>;
  /** JSON of other paths, `/v1/models` among them, or a function of the body that was sent. Default: 404. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** An OpenAI-compatible model server whose answers a test writes byte for byte. */
export async function startModelServer({ answer, others = {} }: ModelServerOptions): Promise<ModelServer> {
  const bodies: SentBody[] = [];
  const asked: string[] = [];
  const server = await startLoopback((incoming, outgoing) => {
    void (async () => {
      const sent = await readAll(incoming);
      const path = incoming.url ?? '';
      const json = (status: number, value: unknown) =>
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (!path.endsWith('/chat/completions')) {
        asked.push(path);
        const other = others[path];
        const value: unknown = typeof other === 'function' ? other(sent === '' ? null : JSON.parse(sent)) : other;
        json(path in others ? 200 : 404, value ?? { error: { message: 'File Not Found' } });
        return;
      }
      const body = JSON.parse(sent) as SentBody;
      const index = bodies.push(body) - 1;
      const answered = (await answer(body, index)) ?? {
        status: 401,
        json: { error: 'The script has no more answers.' },
      };
      if ('sse' in answered) outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(answered.sse);
      else json(answered.status, answered.json);
    })();
  });
  return { baseUrl: `${server.url}/v1`, bodies, asked, [Symbol.asyncDispose]: server.close };
}

/** A chunk of a stream in the chat completions format. */
export const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;

const DONE = 'data: [DONE]\n\n';

/** Usage as servers report it at the end of a stream. */
export const usageChunk = (input: number, output: number): string =>
  `data: ${JSON.stringify({ id: 'c1', choices: [], usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output } })}\n\n`;

/** An answer that only says something. */
export const saysText = (text: string, usage = ''): ServerAnswer => ({
  sse: chunk({ role: 'assistant', content: text }) + chunk({}, 'stop') + usage + DONE,
});

/** An answer that calls tools. */
export const callsTools = (...calls: readonly (readonly [name: string, input: object])[]): ServerAnswer => ({
  sse:
    chunk({
      role: 'assistant',
      tool_calls: calls.map(([name, input], index) => ({
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    }) +
    chunk({}, 'tool_calls') +
    DONE,
});

export interface ServerChat extends AsyncDisposable {
  readonly server: ModelServer;
  readonly services: Services;
  readonly session: Session;
  /** The requests for an answer, summaries left out. */
  steps(): SentBody[];
  /** Strategies and triggers of the compactions so far, prunes left out. */
  compactions(): ReturnType<Services['compactions']['list']>;
}

/**
 * A whole server of ours with a conversation whose model is at a model server. Summaries are written.
 * @param model `local/m`, or one of OpenRouter's: the server then replaces OpenRouter
 */
export async function startServerChat(
  options: ModelServerOptions,
  { model = 'local/m', env = {} }: { model?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<ServerChat> {
  const server = await startModelServer({
    ...options,
    answer: (body, index) =>
      isSummaryRequest(body)
        ? body.stream
          ? saysText(summaryText)
          : {
              status: 200,
              json: {
                id: 's',
                choices: [{ index: 0, message: { role: 'assistant', content: summaryText }, finish_reason: 'stop' }],
              },
            }
        : options.answer(body, index),
  });
  const services = await startTestServices({
    ...(model.startsWith('local/')
      ? { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl }
      : { OPENROUTER_API_KEY: 'test-key', OPENROUTER_BASE_URL: server.baseUrl }),
    DEFAULT_MODEL: model,
    CONTEXT_BACKGROUND_SUMMARIES: 'false',
    CONTEXT_STEP_RETRY_DELAY_MS: '1',
    ...env,
  });
  const session = await services.sessions.create({ ownerId: 'own_local' });
  return {
    server,
    services,
    session,
    steps: () => server.bodies.filter((body) => !isSummaryRequest(body)),
    compactions: async () =>
      (await services.compactions.list(session.id)).filter(({ strategy }) => strategy !== 'prune'),
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
