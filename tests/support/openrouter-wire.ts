import { z } from 'zod';
import { mediaTokens, withMediaSize } from '#server/context/media-tokens';
import { countTokens } from '#server/context/tokens';
import type { JsonValue } from '#server/core/json';
import type { WireMessage } from '#tests/support/validate-model-messages';

/** A tool as a request offers it. */
export interface WireTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: Record<string, unknown>;
  };
}

/** The body of POST /chat/completions, as far as tests read it. */
export interface ChatRequestBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly WireTool[];
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly [field: string]: unknown;
}

/** Tokens of one request; what is left out is counted from the request and the answer. `cost` in US dollars. */
export interface FakeUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  readonly reasoningTokens?: number;
  readonly cost?: number;
}

/** What the model says. All of it may be left out: an answer of nothing. */
export interface FakeAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  /** The same as OpenRouter describes it, signed or hidden. */
  readonly reasoningDetails?: readonly JsonValue[];
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: JsonValue }[];
  /** Null: no usage is reported at all. */
  readonly usage?: FakeUsage | null;
  /** Default `tool_calls` with calls, else `stop`. */
  readonly finishReason?: string;
  /** The pieces in which the text is streamed; default about three words each. Takes the place of `text`. */
  readonly chunks?: readonly string[];
  /** Pause before each chunk of a streamed answer, milliseconds. Default 0. */
  readonly chunkDelayMs?: number;
  /** After `[DONE]` the connection stays open. Default false. */
  readonly staysOpen?: boolean;
  /** Of a streamed text, only the first piece is sent before this. Default: nothing is waited for. */
  readonly restAfter?: Promise<unknown>;
  /** The end of a streamed answer is not sent before this. Default: nothing is waited for. */
  readonly endAfter?: Promise<unknown>;
}

/** An error as OpenRouter reports it. */
export interface WireError {
  readonly message: string;
  readonly code?: number | string;
  readonly metadata?: Record<string, JsonValue>;
}

/** What the frame around a message costs. */
const MESSAGE_TOKENS = 4;

const RESPONSE = { id: 'gen-fake', provider: 'Fake', created: 1_700_000_000 };
/** Prices of the fake, US dollars per token. */
const INPUT_PRICE = 0.000_001;
const OUTPUT_PRICE = 0.000_005;

export function answerText(answer: FakeAnswer): string {
  return answer.chunks?.join('') ?? answer.text ?? '';
}

/** The body of an answer that is not streamed. */
export function completionBody(request: ChatRequestBody, answer: FakeAnswer): Record<string, unknown> {
  const toolCalls = (answer.toolCalls ?? []).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }));
  const message = {
    role: 'assistant',
    content: answerText(answer) === '' ? null : answerText(answer),
    ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return {
    ...RESPONSE,
    object: 'chat.completion',
    model: request.model,
    choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
    ...(answer.usage === null ? {} : { usage: wireUsage(request, answer) }),
  };
}

/** One event of a streamed answer, and the words of the model in it. */
export interface StreamEvent {
  readonly data: Record<string, unknown>;
  readonly text: string;
  /** It is not sent before this. */
  readonly after?: Promise<unknown> | undefined;
}

/** A streamed answer, event by event: reasoning, text, calls in pieces, the finish, then the usage alone. */
export function streamEvents(request: ChatRequestBody, answer: FakeAnswer): StreamEvent[] {
  const event = (delta: Record<string, unknown>, text = '', finish: string | null = null): StreamEvent => ({
    data: chunk(request, { choices: [{ index: 0, delta, finish_reason: finish }] }),
    text,
  });
  const events = [
    ...pieces(answer.reasoning ?? '').map((text) => event({ role: 'assistant', content: '', reasoning: text })),
    ...(answer.reasoningDetails ? [event({ role: 'assistant', reasoning_details: answer.reasoningDetails })] : []),
    ...(answer.chunks ?? pieces(answer.text ?? '')).map((text, index) => ({
      ...event({ role: 'assistant', content: text }, text),
      after: index === 0 ? undefined : answer.restAfter,
    })),
    ...(answer.toolCalls ?? []).flatMap((call, index) => toolCallDeltas(call, index).map((delta) => event(delta))),
    { ...event({ role: 'assistant', content: '' }, '', finishReason(answer)), after: answer.endAfter },
  ];
  if (answer.usage === null) return events;
  const last = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }];
  return [...events, { data: chunk(request, { choices: last, usage: wireUsage(request, answer) }), text: '' }];
}

/** The event that ends a stream which failed after it had begun. */
export function streamErrorEvent(request: ChatRequestBody, error: WireError): StreamEvent {
  const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
  return { data: chunk(request, { error: { code: 502, ...error }, choices }), text: '' };
}

function chunk(request: ChatRequestBody, fields: Record<string, unknown>): Record<string, unknown> {
  return { ...RESPONSE, object: 'chat.completion.chunk', model: request.model, ...fields };
}

function toolCallDeltas(
  call: { readonly id: string; readonly name: string; readonly input: JsonValue },
  index: number,
): Record<string, unknown>[] {
  const json = JSON.stringify(call.input);
  const third = Math.max(1, Math.ceil(json.length / 3));
  const parts = [json.slice(0, third), json.slice(third, 2 * third), json.slice(2 * third)].filter(
    (part) => part !== '',
  );
  const delta = (fields: Record<string, unknown>) => ({ role: 'assistant', content: null, tool_calls: [fields] });
  return [
    delta({ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }),
    ...parts.map((part) => delta({ index, type: 'function', function: { arguments: part } })),
  ];
}

function pieces(text: string): string[] {
  return text.match(/(?:\s*\S+){1,3}\s*|\s+/g) ?? [];
}

function finishReason(answer: FakeAnswer): string {
  return answer.finishReason ?? ((answer.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop');
}

/** As providers count: the words and the calls, not the JSON that carries them with its escapes; images by their pixels. */
export function requestTokens({ model, messages, tools = [] }: ChatRequestBody): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, model), countTokens(JSON.stringify(tools)));
}

function messageTokens({ content, tool_calls = [] }: WireMessage, model: string): number {
  const parts: unknown[] = Array.isArray(content) ? content : [content ?? ''];
  const pixels = parts.flatMap((part) => imageOf(part) ?? []).map((image) => mediaTokens(image, model));
  const said = parts.filter((part) => imageOf(part) === null).map(partText);
  const called = tool_calls.flatMap((call) => [call.function.name, call.function.arguments]);
  const texts = [...said, ...called].map((text) => countTokens(text));
  return [...pixels, ...texts].reduce((sum, tokens) => sum + tokens, MESSAGE_TOKENS);
}

/** An image of a message, with its size. */
function imageOf(part: unknown) {
  const { data } = imagePartSchema.safeParse(part);
  return data ? withMediaSize({ mediaType: 'image/png', url: data.image_url.url }) : null;
}

const imagePartSchema = z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) });

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  const isText = typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
  return isText ? (part.text as string) : JSON.stringify(part);
}

function wireUsage(request: ChatRequestBody, answer: FakeAnswer): Record<string, unknown> {
  const usage = answer.usage ?? {};
  const prompt = usage.promptTokens ?? requestTokens(request);
  const said = [answerText(answer), answer.reasoning ?? '', JSON.stringify(answer.toolCalls ?? [])];
  const completion = usage.completionTokens ?? said.reduce((sum, part) => sum + countTokens(part), 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    cost: usage.cost ?? prompt * INPUT_PRICE + completion * OUTPUT_PRICE,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? countTokens(answer.reasoning ?? '') },
  };
}
