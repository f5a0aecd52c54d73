import type { IncomingMessage, ServerResponse } from 'node:http';
import { countTokens } from '#server/context/tokens';
import type { ConnectableId } from '#server/core/admin/provider-names';
import { openRouterRow } from '#tests/support/fake-model-server';
import { startLoopback } from '#tests/support/loopback-server';

/** What a fake vendor's model says to one request. */
export interface VendorAnswer {
  readonly text?: string;
  readonly call?: { readonly name: string; readonly input: object };
  /** Waited for between the beginning and the end of the answer. */
  readonly hold?: Promise<unknown>;
  /** Default: the tokens of the request, and 20. */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
}

type CountedAnswer = VendorAnswer & Required<Pick<VendorAnswer, 'usage'>>;

/** An answer that is an error: of the vendor's own form, with this status and text. */
export interface VendorError {
  readonly status: number;
  readonly message: string;
}

/** One request for an answer, in any wire format. */
export interface VendorRequest {
  /** As the vendor itself calls it. */
  readonly model: string;
  readonly tools: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

type Respond = (
  request: VendorRequest,
  index: number,
) => VendorAnswer | VendorError | Promise<VendorAnswer | VendorError>;

export interface FakeVendor extends AsyncDisposable {
  /** For the vendor's address variable. */
  readonly baseUrl: string;
  readonly requests: readonly VendorRequest[];
  /** May be changed at any time. */
  respond: Respond;
}

export interface FakeVendorOptions {
  readonly kind: ConnectableId;
  /** The only key it takes. */
  readonly key: string;
  /** Names of its models, as it calls them itself. */
  readonly models: readonly string[];
  /** Default: uses the first tool it is offered where that is the trial's, else says "Hello." */
  readonly respond?: Respond;
  /** Default: a free one. */
  readonly port?: number;
}

/** Uses the tool of the trial, and greets otherwise. */
export const polite: Respond = ({ tools }) =>
  tools.length === 1 && tools[0] === 'ready' ? { call: { name: 'ready', input: { word: 'yes' } } } : { text: 'Hello.' };

/** A real HTTP server on the loopback interface that speaks the wire format of a provider, for answers as streams. */
export async function startFakeVendor(options: FakeVendorOptions): Promise<FakeVendor> {
  const { kind, key } = options;
  const wire = wires[kind];
  const requests: VendorRequest[] = [];
  let respond = options.respond ?? polite;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = incoming.url ?? '';
    const given = String(incoming.headers[wire.keyHeader] ?? '').replace(/^Bearer /, '');
    const isOpen = kind === 'openrouter' && url.endsWith('/models');
    const body = await bodyOf(incoming);
    if (!isOpen && key !== '' && given !== key) return sendError(outgoing, wire.refusal);
    if (incoming.method === 'GET') {
      const isList = /\/models(\?.*)?$/.test(url);
      if (!isList && !url.endsWith('/key')) return sendError(outgoing, { status: 404, message: 'Not found' });
      return sendJson(outgoing, 200, isList ? wire.list(options.models) : { data: { label: 'key' } });
    }
    const request = { ...wire.read(body, url), headers: incoming.headers, body };
    requests.push(request);
    const answer = await respond(request, requests.length - 1);
    if ('status' in answer) return sendError(outgoing, answer);
    // The real ones count all that they read: a smaller figure means that a server has cut the request.
    const usage = { input: countTokens(JSON.stringify(body)), output: 20, ...answer.usage };
    const [begin, end] = wire.events({ ...answer, usage }, request.model);
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
    outgoing.write(begin);
    await answer.hold;
    outgoing.end(end);
  }

  const server = await startLoopback((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  }, options.port);
  return {
    baseUrl: `${server.url}${wire.path}`,
    requests,
    get respond() {
      return respond;
    },
    set respond(next) {
      respond = next;
    },
    [Symbol.asyncDispose]: server.close,
  };
}

interface Wire {
  readonly path: string;
  readonly keyHeader: string;
  readonly refusal: VendorError;
  readonly list: (models: readonly string[]) => object;
  readonly read: (body: Record<string, unknown>, url: string) => Pick<VendorRequest, 'model' | 'tools'>;
  /** The answer's beginning and its end, as an event stream. */
  readonly events: (answer: CountedAnswer, model: string) => readonly [begin: string, end: string];
}

const data = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
/** With the name of each event, as Anthropic sends it. */
const named = (...events: readonly { readonly type: string }[]) =>
  events.map((event) => `event: ${event.type}\n${data(event)}`).join('');
const usageOf = ({ usage }: CountedAnswer) => ({ cached: 0, ...usage });
const parameterNames = (tools: unknown, nameOf: (tool: Record<string, never>) => unknown) =>
  ((tools ?? []) as Record<string, never>[]).map((tool) => String(nameOf(tool)));

/** OpenAI's older format, which OpenRouter and local servers speak. */
const completions: Omit<Wire, 'path' | 'list'> = {
  keyHeader: 'authorization',
  refusal: { status: 401, message: 'No auth credentials found' },
  read: (body) => ({
    model: String(body['model']),
    tools: parameterNames(body['tools'], (tool) => tool['function']?.['name']),
  }),
  events(answer, model) {
    const { input, output, cached } = usageOf(answer);
    const chunk = (delta: object, more: object = {}) => ({
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: 1_795_000_000,
      model,
      choices: [{ index: 0, delta, finish_reason: null }],
      ...more,
    });
    const { call } = answer;
    const called = call && {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    };
    const said = [
      ...(answer.text === undefined ? [] : [chunk({ role: 'assistant', content: answer.text })]),
      ...(called ? [chunk({ tool_calls: [called] })] : []),
    ];
    const reason = call ? 'tool_calls' : 'stop';
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
    };
    const end = { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: reason }], usage };
    return [data(...said), `${data(end)}data: [DONE]\n\n`];
  },
};

const wires: Readonly<Record<ConnectableId, Wire>> = {
  openrouter: {
    ...completions,
    path: '/api/v1',
    list: (models) => ({ data: models.map((id) => openRouterRow(id, 200_000)) }),
  },
  'openai-compatible': {
    ...completions,
    path: '/v1',
    list: (models) => ({ object: 'list', data: models.map((id) => ({ id, object: 'model' })) }),
  },
  anthropic: {
    path: '/v1',
    keyHeader: 'x-api-key',
    refusal: { status: 401, message: 'invalid x-api-key' },
    list: (models) => ({
      data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-02-19T00:00:00Z' })),
      has_more: false,
    }),
    read: (body) => ({ model: String(body['model']), tools: parameterNames(body['tools'], (tool) => tool['name']) }),
    events(answer, model) {
      const { input, output, cached } = usageOf(answer);
      const start = {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: input - cached,
            cache_read_input_tokens: cached,
            cache_creation_input_tokens: 0,
            output_tokens: 1,
          },
        },
      };
      const { text, call } = answer;
      const block = (index: number, content: object, delta: object) => [
        { type: 'content_block_start', index, content_block: content },
        { type: 'content_block_delta', index, delta },
        { type: 'content_block_stop', index },
      ];
      const blocks = [
        ...(text === undefined ? [] : block(0, { type: 'text', text: '' }, { type: 'text_delta', text })),
        ...(call
          ? block(
              1,
              { type: 'tool_use', id: 'toolu_1', name: call.name, input: {} },
              { type: 'input_json_delta', partial_json: JSON.stringify(call.input) },
            )
          : []),
      ];
      const delta = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
      const end = [{ type: 'message_delta', delta, usage: { output_tokens: output } }, { type: 'message_stop' }];
      return [named(start, ...blocks), named(...end)];
    },
  },
  openai: {
    path: '/v1',
    keyHeader: 'authorization',
    refusal: { status: 401, message: 'Incorrect API key provided.' },
    list: (models) => ({
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'openai' })),
    }),
    // Codex groups the tools of an MCP server in a namespace.
    read: (body) => ({
      model: String(body['model']),
      tools: ((body['tools'] ?? []) as { name: string; tools?: unknown }[]).flatMap(({ name, tools }) =>
        tools === undefined ? [name] : parameterNames(tools, (tool) => `${name}/${String(tool['name'])}`),
      ),
    }),
    events(answer, model) {
      const { input, output, cached } = usageOf(answer);
      const { text, call } = answer;
      const [name, namespace] = (call?.name ?? '').split('/').toReversed();
      const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [] as object[] };
      const called = call && {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name,
        ...(namespace && { namespace }),
      };
      const written = JSON.stringify(call?.input ?? {});
      const begin = [
        { type: 'response.created', response: { id: 'resp_1', created_at: 1_795_000_000, model } },
        ...(text === undefined
          ? []
          : [
              { type: 'response.output_item.added', output_index: 0, item: message },
              { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: text },
              {
                type: 'response.output_item.done',
                output_index: 0,
                item: { ...message, content: [{ type: 'output_text', text, annotations: [] }] },
              },
            ]),
        ...(called
          ? [
              { type: 'response.output_item.added', output_index: 1, item: { ...called, arguments: '' } },
              { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: written },
              {
                type: 'response.output_item.done',
                output_index: 1,
                item: { ...called, arguments: written, status: 'completed' },
              },
            ]
          : []),
      ];
      const usage = {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      };
      return [data(...begin), data({ type: 'response.completed', response: { id: 'resp_1', usage } })];
    },
  },
  google: {
    path: '/v1beta',
    keyHeader: 'x-goog-api-key',
    refusal: { status: 400, message: 'API key not valid. Please pass a valid API key.' },
    list: (models) => ({
      models: models.map((name) => ({
        name: `models/${name}`,
        displayName: name,
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      })),
    }),
    read: (body, url) => ({
      model: /\/models\/([^:]+):/.exec(url)?.[1] ?? '',
      tools: ((body['tools'] ?? []) as Record<string, unknown>[]).flatMap((tool) =>
        parameterNames(tool['functionDeclarations'], (declared) => declared['name']),
      ),
    }),
    events(answer, model) {
      const { input, output, cached } = usageOf(answer);
      const { text, call } = answer;
      const parts = [
        ...(text === undefined ? [] : [{ text }]),
        ...(call ? [{ functionCall: { name: call.name, args: call.input }, thoughtSignature: 'c2lnbmVk' }] : []),
      ];
      const usageMetadata = {
        promptTokenCount: input,
        candidatesTokenCount: output,
        cachedContentTokenCount: cached,
        totalTokenCount: input + output,
      };
      const candidate = (content: object, finish: object) => ({ candidates: [{ index: 0, content, ...finish }] });
      const end = { ...candidate({ role: 'model', parts: [{ text: '' }] }, { finishReason: 'STOP' }), usageMetadata };
      return [data({ ...candidate({ role: 'model', parts }, {}), modelVersion: model }), data(end)];
    },
  },
};

async function bodyOf(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const text = Buffer.concat(pieces).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function sendError(outgoing: ServerResponse, { status, message }: VendorError): void {
  sendJson(outgoing, status, { type: 'error', error: { code: status, type: 'error', status: 'ERROR', message } });
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
