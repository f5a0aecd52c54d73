import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import { startLoopback } from '#tests/support/loopback-server';

/** A model that is installed. */
export interface FakeOllamaModel {
  readonly name: string;
  readonly capabilities?: readonly string[];
  /** Context length that it was trained for, tokens. Default: 131,072. */
  readonly trained?: number;
  /** Lines of its Modelfile, such as `num_ctx 8192`. */
  readonly parameters?: string;
  /** Default: one for its name. */
  readonly digest?: string;
  /** It runs elsewhere (`ollama signin`): it is never loaded here, so `/api/ps` does not list it. */
  readonly isCloud?: boolean;
}

/** What the model says to a request. */
export interface FakeOllamaAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
  readonly reason?: 'stop' | 'length';
  /** An error in the middle of the stream, after what is said. */
  readonly error?: string;
  /** The runner ends after what is said: no line with `done`. */
  readonly dies?: boolean;
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly [field: string]: unknown;
}

interface FakeOllamaBody {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters: unknown } }[];
  readonly options?: Readonly<Record<string, unknown>>;
  readonly stream?: boolean;
  readonly truncate?: boolean;
  readonly shift?: boolean;
}

/** A request to `/api/chat` or `/v1/chat/completions`. */
export interface FakeOllamaRequest extends FakeOllamaBody {
  readonly path: string;
}

interface FakeOllamaOptions {
  readonly models: readonly FakeOllamaModel[];
  readonly answer?: (request: FakeOllamaRequest) => FakeOllamaAnswer;
  /** Context length for a request that names none, tokens. */
  readonly usualContext?: number;
  /** A chat request that is refused, with a recorded message; null: answered. */
  readonly refuse?: (request: FakeOllamaRequest) => { readonly status: number; readonly message: string } | null;
  /**
   * A version of 2024 (0.5): `/api/ps` reports no context length, `/api/show` no capabilities, and `truncate` is ignored.
   */
  readonly isOld?: boolean;
  /** Path at which a proxy serves it, such as `/ollama`. Default: none. */
  readonly prefix?: string;
  /** The proxy requires this key. Default: none. */
  readonly apiKey?: string;
}

export interface FakeOllama extends AsyncDisposable {
  /** For OPENAI_COMPATIBLE_BASE_URL. */
  readonly baseUrl: string;
  /** Chat requests that were answered or refused. */
  readonly chats: FakeOllamaRequest[];
  /** `GET /api/ps` and so on, in order. */
  readonly routes: string[];
  /** Models that were loaded, in order, with their context length. */
  readonly loads: { readonly model: string; readonly context: number }[];
  /** Requests that were cut without a word. */
  cuts: number;
  /** Unloads everything, as five idle minutes do. */
  unload(): void;
  /** Another program loads the model with its own context length. */
  loadElsewhere(model: string, context: number): void;
}

/** Tokens of a request, roughly as a vocabulary for English has them. */
const tokensOf = (messages: readonly Message[], tools: unknown) =>
  Math.ceil((JSON.stringify(messages).length + (tools === undefined ? 0 : JSON.stringify(tools).length)) / 4);

/**
 * Ollama of August 2026 as a server on the loopback interface.
 *
 * - A model is unloaded after five idle minutes; `/api/ps` is then empty (observed; Ollama's FAQ).
 * - A request with another `num_ctx` than the loaded one loads the model again (sched.go, needsReload); without
 *   `num_ctx` it takes the Modelfile's, else the server's own.
 * - `/v1` knows no `num_ctx` and cuts a long request with status 200 (observed: "truncating input prompt").
 * - `/api/chat` cuts as well unless `truncate` is false; then it answers 400 (llama_server.go).
 * - Usage counts thoughts as output and does not say how many (observed).
 * - A tool's schema must fit api/types.go: a property is an object, the root type a string; otherwise the whole request
 *   is refused before the model is looked up (observed).
 */
export async function startFakeOllama({
  models,
  answer = () => ({ text: 'Done.' }),
  usualContext = 4_096,
  refuse = () => null,
  isOld = false,
  prefix = '',
  apiKey,
}: FakeOllamaOptions): Promise<FakeOllama> {
  const loaded = new Map<string, number>();
  const find = (name: string) => models.find((model) => model.name === name || model.name === `${name}:latest`);

  function contextFor(model: FakeOllamaModel, asked: unknown): number {
    const configured = Number(/num_ctx\s+(\d+)/.exec(model.parameters ?? '')?.[1] ?? usualContext);
    return Math.min(typeof asked === 'number' ? asked : configured, model.trained ?? 131_072);
  }

  function load(model: FakeOllamaModel, asked: unknown): number {
    const context = contextFor(model, asked);
    if (model.isCloud) return context;
    if (loaded.get(model.name) !== context) {
      loaded.set(model.name, context);
      server.loads.push({ model: model.name, context });
    }
    return context;
  }

  const json = (outgoing: ServerResponse, value: unknown, status = 200) =>
    void outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  /** The OpenAI-compatible interface wraps the message. */
  const fail = (outgoing: ServerResponse, path: string, status: number, message: string) =>
    json(
      outgoing,
      path.startsWith('/v1') ? { error: { message, type: 'invalid_request_error' } } : { error: message },
      status,
    );

  function chat(outgoing: ServerResponse, path: string, body: FakeOllamaBody): void {
    const problem = schemaProblem(body.tools);
    if (problem !== null) return fail(outgoing, path, 400, problem);
    if (body.model === '') return fail(outgoing, path, 400, 'model is required');
    const request = { ...body, path };
    server.chats.push(request);
    const refusal = refuse(request);
    if (refusal !== null) return fail(outgoing, path, refusal.status, refusal.message);
    const model = find(body.model);
    if (!model) return fail(outgoing, path, 404, `model '${body.model}' not found`);
    const { capabilities = ['completion', 'tools'] } = model;
    if (!capabilities.includes('completion')) return fail(outgoing, path, 400, `"${model.name}" does not support chat`);
    if (body.tools && !capabilities.includes('tools')) {
      return fail(outgoing, path, 400, `registry.ollama.ai/library/${model.name} does not support tools`);
    }
    const isOwn = path === '/api/chat';
    const context = load(model, isOwn ? body.options?.num_ctx : undefined);
    const size = tokensOf(body.messages, body.tools);
    const isCut = size > context;
    if (isCut && isOwn && !isOld && body.truncate === false) return fail(outgoing, path, 400, TOO_LONG);
    if (isCut) server.cuts += 1;
    const read = isCut ? Math.ceil(context / 2) + 2 : size;
    send(outgoing, isOwn ? ownLines(body, answer(request), read) : openAiEvents(body, answer(request), read));
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const sent = await readAll(incoming);
    const { url = '', headers } = incoming;
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) return json(outgoing, {}, 401);
    if (!url.startsWith(prefix)) return json(outgoing, {}, 404);
    const path = url.slice(prefix.length);
    server.routes.push(`${incoming.method} ${path}`);
    const body = (sent === '' ? {} : JSON.parse(sent)) as FakeOllamaBody;
    if (path === '/api/ps')
      return json(outgoing, {
        models: [...loaded].map(([name, context]) => runningRow(name, isOld ? undefined : context)),
      });
    if (path === '/api/tags') return json(outgoing, { models: models.map(installedRow) });
    if (path === '/api/show') {
      const model = find(body.model);
      if (!model) return fail(outgoing, path, 404, `model '${body.model}' not found`);
      const { capabilities = ['completion', 'tools'], trained = 131_072, parameters = '' } = model;
      const told = isOld ? {} : { capabilities };
      return json(outgoing, { parameters, ...told, model_info: { 'llama.context_length': trained } });
    }
    if (path === '/api/generate') {
      const model = find(body.model);
      if (!model) return fail(outgoing, path, 404, `model '${body.model}' not found`);
      load(model, body.options?.num_ctx);
      return json(outgoing, { model: model.name, created_at: AT, response: '', done: true, done_reason: 'load' });
    }
    if (path === '/v1/models') {
      const data = models.map(({ name }) => ({ id: name, object: 'model', created: 1, owned_by: 'library' }));
      return json(outgoing, { object: 'list', data });
    }
    if (path === '/api/chat' || path === '/v1/chat/completions') return chat(outgoing, path, body);
    return void outgoing.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
  }

  const loopback = await startLoopback((incoming, outgoing) => void handle(incoming, outgoing));
  const server: FakeOllama = {
    baseUrl: `${loopback.url}${prefix}/v1`,
    chats: [],
    routes: [],
    loads: [],
    cuts: 0,
    unload: () => loaded.clear(),
    loadElsewhere: (model, context) => void loaded.set(model, context),
    [Symbol.asyncDispose]: loopback.close,
  };
  return server;
}

const AT = '2026-11-28T17:31:58Z';
const TOO_LONG =
  'the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the context length in settings, or use a model with a longer context length';

const runningRow = (name: string, context: number | undefined) => ({
  name,
  model: name,
  digest: `digest of ${name}`,
  size: 2_000_000_000 + (context ?? 0) * 100_000,
  size_vram: 0,
  expires_at: AT,
  context_length: context,
});
const installedRow = ({ name, digest = `digest of ${name}` }: FakeOllamaModel) => ({
  name,
  model: name,
  digest,
  size: 2_000_000_000,
});

interface FakeSchema {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly required?: unknown;
  readonly properties?: Readonly<Record<string, FakeSchema | boolean>>;
}

function schemaProblem(tools: FakeOllamaRequest['tools']): string | null {
  for (const { function: definition } of tools ?? []) {
    const schema = definition.parameters as FakeSchema;
    const place = 'ToolFunctionParameters.tools.function.parameters';
    if (typeof schema.type !== 'string') {
      return `json: cannot unmarshal array into Go struct field ${place}.type of type string`;
    }
    if (schema.required !== undefined && !Array.isArray(schema.required)) {
      return `json: cannot unmarshal bool into Go struct field ${place}.required of type []string`;
    }
    const problem = propertyProblem(schema, place);
    if (problem !== null) return problem;
  }
  return null;
}

/** The first property that does not fit api.ToolProperty, at any depth. */
function propertyProblem({ properties = {} }: FakeSchema, place: string): string | null {
  for (const property of Object.values(properties)) {
    const within = `${place}.properties`;
    if (typeof property === 'boolean') {
      return `json: cannot unmarshal bool into Go struct field ${within} of type api.ToolProperty`;
    }
    if (!['string', 'undefined'].includes(typeof property.description)) {
      return `json: cannot unmarshal object into Go struct field ${within}.description of type string`;
    }
    const problem = propertyProblem(property, within);
    if (problem !== null) return problem;
  }
  return null;
}

interface Sent {
  readonly type: string;
  readonly pieces: readonly string[];
}

const send = (outgoing: ServerResponse, { type, pieces }: Sent) => {
  outgoing.writeHead(200, { 'content-type': type });
  for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
};

/** Words, as a model writes them. */
const piecesOf = (text = '') => text.match(/\s*\S+/g) ?? [];

function ownLines({ model, stream }: FakeOllamaBody, said: FakeOllamaAnswer, read: number): Sent {
  const line = (message: object, more: object = { done: false }) => ({
    model,
    created_at: AT,
    message: { role: 'assistant', content: '', ...message },
    ...more,
  });
  const calls = said.calls?.map((each, index) => ({ id: `call_${index}x`, function: { index, ...each } }));
  const written = piecesOf(said.thinking).length + piecesOf(said.text).length + 1;
  const done = { done: true, done_reason: said.reason ?? 'stop', prompt_eval_count: read, eval_count: written };
  if (stream === false) {
    const message = { content: said.text ?? '', thinking: said.thinking, tool_calls: calls };
    return { type: 'application/json', pieces: [JSON.stringify(line(message, done))] };
  }
  const lines: object[] = [
    ...piecesOf(said.thinking).map((thinking) => line({ thinking })),
    ...piecesOf(said.text).map((content) => line({ content })),
    ...(calls ? [line({ tool_calls: calls })] : []),
    ...(said.error === undefined ? (said.dies ? [] : [line({}, done)]) : [{ error: said.error }]),
  ];
  return { type: 'application/x-ndjson', pieces: lines.map((each) => `${JSON.stringify(each)}\n`) };
}

function openAiEvents({ model, stream }: FakeOllamaBody, said: FakeOllamaAnswer, read: number): Sent {
  const usage = { prompt_tokens: read, completion_tokens: 5, total_tokens: read + 5 };
  if (stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: said.text ?? '' }, finish_reason: 'stop' }];
    return {
      type: 'application/json',
      pieces: [JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model, choices, usage })],
    };
  }
  const chunk = (choices: readonly object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`;
  const pieces = [
    ...piecesOf(said.thinking).map((reasoning) =>
      chunk([{ index: 0, delta: { content: '', reasoning }, finish_reason: null }]),
    ),
    ...piecesOf(said.text).map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ];
  return { type: 'text/event-stream', pieces };
}
