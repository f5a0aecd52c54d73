import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type JsonObject, parseJson } from '#server/core/json';
import { reportCallStatus } from '#server/models/wire/call-status';

/* Ollama through its native interface. Its OpenAI-compatible one (`/v1`) has no field for the context length, loads a
   model with the server's default length, and silently cuts the beginning of a long request with status 200. `POST
   /api/chat` accepts `num_ctx`, and with `truncate: false` it refuses a long request with status 400.
   
   Requests and responses are translated here, between the SDK's package for OpenAI-compatible servers and the network,
   so that everything built on that package (repairs of events, timeouts, messages for strict templates) stays in use.
   Source for fields and behaviour: ollama/ollama (api/types.go, routes.go), August 2026. */

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const imagePart = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) });
const callSchema = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});
const messageSchema = z.object({
  role: z.string(),
  content: z.union([z.string(), z.array(z.union([textPart, imagePart]))]).nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(callSchema).nullish(),
  tool_call_id: z.string().nullish(),
});
const requestSchema = z.object({
  model: z.string(),
  messages: z.array(messageSchema),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
  stream: z.boolean().optional(),
  max_tokens: z.number().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  seed: z.number().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  stop: z.array(z.string()).optional(),
  reasoning_effort: z.string().optional(),
  response_format: z.object({ type: z.string(), json_schema: z.object({ schema: z.unknown() }).optional() }).optional(),
});
type OpenAiRequest = z.infer<typeof requestSchema>;
type OpenAiMessage = z.infer<typeof messageSchema>;

/** Tools of a request, in the form of both interfaces. */
export type WireTools = NonNullable<OpenAiRequest['tools']>;

/** A request for `POST /api/chat`. */
export interface OllamaRequest {
  readonly model: string;
  readonly tools?: WireTools;
  readonly stream: boolean;
  readonly options: JsonObject;
  readonly [field: string]: unknown;
}

/** A picture is given by address instead of data: Ollama accepts picture data only. */
class PictureAddressError extends Error {
  constructor() {
    super('Ollama takes pictures as data only, not by their address.');
  }
}

/**
 * Translates a chat completions request; the sender adds the context length.
 * @returns null for a body that is no such request
 * @throws PictureAddressError
 */
export function toOllamaRequest(body: string): OllamaRequest | null {
  const parsed = requestSchema.safeParse(parseJson(body));
  if (!parsed.success) return null;
  const { model, messages, tools, stream = false, reasoning_effort: effort, response_format: format } = parsed.data;
  const names = new Map(
    messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => [call.id, call.function.name])),
  );
  return {
    model,
    messages: messages.map((message) => toOllamaMessage(message, names)),
    ...(tools && { tools }),
    stream,
    // Without these two it silently cuts the beginning of a long request, or of a long response.
    truncate: false,
    shift: false,
    ...(effort !== undefined && { think: thinkOf(effort) }),
    ...(format && format.type !== 'text' && { format: format.json_schema?.schema ?? 'json' }),
    options: toOptions(parsed.data),
  };
}

/** Levels that Ollama supports; others only switch thinking on or off. */
const THINK_LEVELS = new Set(['low', 'medium', 'high', 'max']);
const thinkOf = (effort: string) => (THINK_LEVELS.has(effort) ? effort : effort !== 'none');

function toOptions(request: OpenAiRequest): JsonObject {
  const { max_tokens, temperature, top_p, seed, presence_penalty, frequency_penalty, stop } = request;
  const options = {
    num_predict: max_tokens,
    temperature,
    top_p,
    seed,
    presence_penalty,
    frequency_penalty,
    stop,
  };
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function toOllamaMessage(message: OpenAiMessage, names: ReadonlyMap<string, string>): JsonObject {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  const thinking = message.reasoning_content ?? message.reasoning ?? '';
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? []);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = parts.flatMap((part) => (part.type === 'image_url' ? [imageData(part.image_url.url)] : []));
  const name = callId === undefined || callId === null ? undefined : names.get(callId);
  return {
    role,
    // A string in every message: Ollama refuses a list or null.
    content: texts.join('\n\n'),
    ...(images.length > 0 && { images }),
    ...(thinking !== '' && { thinking }),
    ...(calls && calls.length > 0 && { tool_calls: calls.map(toOllamaCall) }),
    ...(callId && { tool_call_id: callId }),
    ...(name !== undefined && { tool_name: name }),
  };
}

function toOllamaCall({ id, function: { name, arguments: text } }: z.infer<typeof callSchema>): JsonObject {
  const value = parseJson(text ?? '') ?? null;
  // Ollama accepts arguments as an object only; calls with other arguments were refused before, so nothing is lost.
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { id, function: { name, arguments: isObject ? (value as JsonObject) : {} } };
}

function imageData(url: string): string {
  const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? [];
  if (data === undefined) throw new PictureAddressError();
  return data;
}

const answerSchema = z.looseObject({
  model: z.string().catch(''),
  message: z
    .looseObject({
      content: z.string().nullish().catch(null),
      thinking: z.string().nullish().catch(null),
      tool_calls: z
        .array(
          z.looseObject({
            id: z.string().optional().catch(undefined),
            function: z.looseObject({ name: z.string(), arguments: z.unknown() }),
          }),
        )
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
  done: z.boolean().catch(false),
  done_reason: z.string().nullish().catch(null),
  prompt_eval_count: z.number().nullish().catch(null),
  eval_count: z.number().nullish().catch(null),
});
type OllamaAnswer = z.infer<typeof answerSchema>;

const errorSchema = z.looseObject({ error: z.union([z.string(), z.looseObject({ message: z.string() })]) });

/** The error in a line or body; null if it contains none. */
function failureIn(value: unknown): JsonObject | null {
  const { data } = errorSchema.safeParse(value);
  if (data === undefined) return null;
  const message = typeof data.error === 'string' ? data.error : data.error.message;
  return { error: { message, type: 'api_error' } };
}

/** Translates the response to that of an OpenAI-compatible server. */
async function toOpenAiResponse(response: Response, isStreamed: boolean): Promise<Response> {
  const { status } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  if (!response.ok || !isStreamed) {
    const text = await response.text();
    const value = parseJson(text);
    const failure = failureIn(value);
    // Some errors have status 200 if the model was loaded first.
    if (failure)
      return Response.json(failure, {
        status: response.ok ? 500 : status,
        headers: withType(headers, 'application/json'),
      });
    const answer = response.ok ? answerSchema.safeParse(value).data : undefined;
    if (!answer) return new Response(text, { status, headers });
    return Response.json(new Answer().whole(answer), { status, headers: withType(headers, 'application/json') });
  }
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(toEvents())
    .pipeThrough(new TextEncoderStream());
  return new Response(body ?? null, { status, headers: withType(headers, 'text/event-stream') });
}

function withType(headers: Headers, type: string): Headers {
  headers.set('content-type', type);
  return headers;
}

/**
 * Converts JSON lines to events. A stream that ends without `done` gets no end: its reader treats that as a broken
 * response.
 */
function toEvents(): TransformStream<string, string> {
  const answer = new Answer();
  let open = '';
  const read = (line: string) => (line.trim() === '' ? '' : answer.events(parseJson(line)));
  return new TransformStream({
    transform(text, controller) {
      const lines = (open + text).split('\n');
      open = lines.pop() ?? '';
      const events = lines.map(read).join('');
      if (events !== '') controller.enqueue(events);
    },
    flush(controller) {
      const events = read(open);
      if (events !== '') controller.enqueue(events);
    },
  });
}

/** One response in the chat completions format. */
class Answer {
  readonly #id = `chatcmpl-${randomUUID()}`;
  readonly #created = Math.floor(Date.now() / 1_000);
  #calls = 0;

  /** The events for a line; none for a line that is not understood. */
  events(line: unknown): string {
    const failure = failureIn(line);
    if (failure) return event(failure);
    const { data } = answerSchema.safeParse(line);
    if (!data) return '';
    const base = { id: this.#id, object: 'chat.completion.chunk', created: this.#created, model: data.model };
    const delta = this.#message(data);
    const isEmpty = Object.keys(delta).length === 0;
    const said =
      isEmpty && !data.done
        ? ''
        : event({ ...base, choices: [{ index: 0, delta, finish_reason: data.done ? this.#reason(data) : null }] });
    if (!data.done) return said;
    const usage = usageOf(data);
    return `${said}${usage ? event({ ...base, choices: [], usage }) : ''}data: [DONE]\n\n`;
  }

  whole(data: OllamaAnswer): JsonObject {
    const message = { role: 'assistant', content: '', ...this.#message(data) };
    const usage = usageOf(data);
    return {
      id: this.#id,
      object: 'chat.completion',
      created: this.#created,
      model: data.model,
      choices: [{ index: 0, message, finish_reason: this.#reason(data) }],
      ...(usage && { usage }),
    };
  }

  #message({ message }: OllamaAnswer): JsonObject {
    const { content, thinking, tool_calls: calls } = message ?? {};
    const made = (calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      index: this.#calls++,
      id: id ?? `call_${randomUUID().replaceAll('-', '').slice(0, 9)}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input ?? {}) },
    }));
    return {
      ...(content && { content }),
      ...(thinking && { reasoning_content: thinking }),
      ...(made.length > 0 && { tool_calls: made }),
    };
  }

  #reason({ done_reason: reason }: OllamaAnswer): string {
    if (reason === 'length') return 'length';
    return this.#calls > 0 ? 'tool_calls' : 'stop';
  }
}

const event = (value: JsonObject) => `data: ${JSON.stringify(value)}\n\n`;

/** Null if the server reports no counts: unknown is not 0. */
function usageOf({ prompt_eval_count: read, eval_count: written }: OllamaAnswer): JsonObject | null {
  if (!read || written === null || written === undefined) return null;
  return { prompt_tokens: read, completion_tokens: written, total_tokens: read + written };
}

/** Data about the server that a request to it needs. */
export interface OllamaFacts {
  /** Waits until the kind of the server is known. @returns the address of its native interface; null if it has none */
  readonly root: () => Promise<string | null>;
  /** Context length with which to load the model; undefined: the server's default. */
  readonly numCtx: (model: string) => number | undefined;
  /** Called when the server has started to answer: it has now loaded the model. */
  readonly onAnswer?: (model: string) => void;
}

/** An error in the form of OpenAI-compatible servers. */
const refusal = (message: string) =>
  Response.json({ error: { message, type: 'invalid_request_error' } }, { status: 400 });

/** A tool's schema does not fit Ollama's types: "json: cannot unmarshal bool into Go struct field ...tools.function..." */
const SCHEMA_REFUSED = /cannot unmarshal .*tool/i;

/** Sends chat requests through Ollama's native interface if the server has one, and all others unchanged. */
export function createOllamaSend(send: typeof fetch, facts: OllamaFacts): typeof fetch {
  /** Whether the server refuses a tool, by the tool's JSON. */
  const refused = new Map<string, boolean>();

  async function isRefused(url: string, init: RequestInit, tool: WireTools[number]): Promise<boolean> {
    const key = JSON.stringify(tool);
    const known = refused.get(key);
    if (known !== undefined) return known;
    // Without a model the request has no effect: it is refused because of its tool, or else because of the missing
    // model.
    const answer = await send(url, { ...init, body: JSON.stringify({ model: '', messages: [], tools: [tool] }) });
    const found = SCHEMA_REFUSED.test(await answer.text());
    refused.set(key, found);
    return found;
  }

  /** The request without the tools that the server refuses. */
  async function withoutRefused(url: string, init: RequestInit, request: OllamaRequest): Promise<OllamaRequest> {
    const left: WireTools[number][] = [];
    const names: string[] = [];
    for (const tool of request.tools ?? []) {
      if (await isRefused(url, init, tool)) names.push(tool.function.name);
      else left.push(tool);
    }
    if (names.length > 0) reportCallStatus({ kind: 'tools-left-out', names });
    const { tools: _, ...rest } = request;
    return left.length > 0 ? { ...rest, tools: left } : rest;
  }

  return async (input, init = {}) => {
    const address = input instanceof Request ? input.url : input.toString();
    if (!address.endsWith('/chat/completions') || typeof init.body !== 'string') return send(input, init);
    const root = await facts.root();
    if (root === null) return send(input, init);
    const url = `${root}/api/chat`;
    let request: OllamaRequest | null;
    try {
      request = toOllamaRequest(init.body);
    } catch (error) {
      if (error instanceof PictureAddressError) return refusal(error.message);
      throw error;
    }
    if (request === null) return send(input, init);
    const numCtx = facts.numCtx(request.model);
    if (numCtx !== undefined) request = { ...request, options: { ...request.options, num_ctx: numCtx } };
    const hasKnownRefusal = request.tools?.some((tool) => refused.get(JSON.stringify(tool)));
    if (hasKnownRefusal) request = await withoutRefused(url, init, request);
    const ask = (body: OllamaRequest) => send(url, { ...init, body: JSON.stringify(body) });
    let response = await ask(request);
    if (response.status === 400 && request.tools !== undefined) {
      const text = await response.text();
      const fitting = SCHEMA_REFUSED.test(text) ? await withoutRefused(url, init, request) : request;
      const isShorter = fitting.tools?.length !== request.tools.length;
      response = isShorter ? await ask(fitting) : new Response(text, response);
    }
    if (response.ok) facts.onAnswer?.(request.model);
    return toOpenAiResponse(response, request.stream);
  };
}

const runningSchema = z.object({
  models: z.array(
    z
      .object({ name: z.string(), context_length: z.number().optional(), size: z.number().optional() })
      .nullable()
      .catch(null),
  ),
});

/** State of a loaded model. */
export interface LoadedModel {
  /** Tokens. */
  readonly context: number;
  /** Memory that it uses, bytes; null if the server does not report it. */
  readonly memoryBytes: number | null;
}

/**
 * Reads the state of a loaded model; null while it is not loaded. @param ask GETs a path @throws Error without an
 * answer
 */
export async function readLoaded(ask: (path: string) => Promise<unknown>, model: string): Promise<LoadedModel | null> {
  const { data } = runningSchema.safeParse(await ask('/api/ps'));
  const row = data?.models.find((each) => each?.name === model || each?.name === `${model}:latest`);
  return row?.context_length ? { context: row.context_length, memoryBytes: row.size ?? null } : null;
}
