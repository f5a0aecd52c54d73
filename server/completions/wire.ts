import { within } from '#server/core/async';
import type { JsonValue } from '#server/core/json';
import type { Usage } from '#server/core/messages';

/** An event of an answer in progress, as reported to its client. A call's `index` counts from 0. */
export type AnswerEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-details'; readonly details: readonly JsonValue[] }
  /** The conversation is compacted in the middle of the answer. */
  | { readonly type: 'compacting' }
  /** The last one. */
  | { readonly type: 'end'; readonly finishReason: WireFinishReason; readonly usage: WireUsage };

/** Fields common to all chunks of an answer. */
export interface AnswerIdentity {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The complete id of the model that answers. */
  readonly model: string;
}

type Delta = Readonly<Record<string, unknown>>;

/** The chunks of OpenAI's stream for each event. The first has the role; usage is a chunk of its own on request. */
export function createChunks(identity: AnswerIdentity, includeUsage: boolean): (event: AnswerEvent) => object[] {
  let isFirst = true;
  const chunk = (fields: object) => ({ ...headOf(identity, 'chat.completion.chunk'), ...fields });
  const say = (delta: Delta, finishReason: string | null = null) => {
    const role = isFirst ? { role: 'assistant' } : {};
    isFirst = false;
    const choices = [{ index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: finishReason }];
    return chunk({ choices, ...(includeUsage && { usage: null }) });
  };
  return (event) => {
    if (event.type === 'compacting') return [];
    if (event.type !== 'end') return [say(deltaOf(event))];
    const { finishReason, usage } = event;
    return [say({}, finishReason), ...(includeUsage ? [chunk({ choices: [], usage })] : [])];
  };
}

/** Fields common to chunks and whole answers. */
function headOf({ id, created, model }: AnswerIdentity, object: string) {
  return { id, object, created, model, system_fingerprint: null };
}

function deltaOf(event: Exclude<AnswerEvent, { type: 'end' | 'compacting' }>): Delta {
  switch (event.type) {
    case 'text':
      return { content: event.text };
    case 'reasoning':
      return { reasoning_content: event.text };
    case 'reasoning-details':
      return { reasoning_details: event.details };
    case 'call': {
      const { index, id, name } = event;
      return { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] };
    }
    case 'arguments':
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
  }
}

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/** Collects the events of an answer into one object. */
export async function collectCompletion(identity: AnswerIdentity, events: AsyncIterable<AnswerEvent>): Promise<object> {
  let content = '';
  let reasoning = '';
  const details: JsonValue[] = [];
  const calls: Call[] = [];
  let end: Extract<AnswerEvent, { type: 'end' }> | null = null;
  for await (const event of events) {
    if (event.type === 'text') content += event.text;
    else if (event.type === 'reasoning') reasoning += event.text;
    else if (event.type === 'reasoning-details') details.push(...event.details);
    else if (event.type === 'call') calls[event.index] = { id: event.id, name: event.name, arguments: '' };
    else if (event.type === 'arguments') appendTo(calls[event.index], event.text);
    else if (event.type === 'end') end = event;
  }
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls.map(toWire) }),
  };
  return {
    ...headOf(identity, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: end?.finishReason ?? 'stop' }],
    usage: end?.usage ?? null,
  };
}

function appendTo(call: Call | undefined, text: string): void {
  if (call) call.arguments += text;
}

function toWire({ id, name, arguments: written }: Call) {
  return { id, type: 'function', function: { name, arguments: written } };
}

export type WireFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

const REASONS: Readonly<Record<string, WireFinishReason>> = {
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/**
 * OpenAI's finish reason.
 * @param reason the AI SDK's
 * @param hasCalls whether tools were called: clients rely on `tool_calls`, and some providers say "stop" nevertheless
 */
export function wireFinishReason(reason: string, hasCalls: boolean): WireFinishReason {
  const said = REASONS[reason] ?? 'stop';
  return said === 'stop' && hasCalls ? 'tool_calls' : said;
}

/** Usage in OpenAI's shape; `cost` in US dollars if the provider reports it, as OpenRouter does. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
  readonly cost?: number;
}

/** Total usage of all model calls of one answer. */
export function wireUsage(steps: readonly Usage[]): WireUsage {
  const sum = (of: (usage: Usage) => number | undefined) => steps.reduce((total, usage) => total + (of(usage) ?? 0), 0);
  const prompt = sum((usage) => usage.inputTokens);
  const completion = sum((usage) => usage.outputTokens);
  const isPriced = steps.some((usage) => usage.cost !== undefined);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: sum((usage) => usage.cacheReadTokens) },
    completion_tokens_details: { reasoning_tokens: sum((usage) => usage.reasoningTokens) },
    ...(isPriced && { cost: sum((usage) => usage.cost) }),
  };
}

/** Time without an event after which a comment keeps the connection open, milliseconds. */
const COMMENT_EVERY_MS = 5_000;

export interface AnswerStream {
  readonly events: AsyncGenerator<AnswerEvent>;
  readonly chunksOf: (event: AnswerEvent) => readonly object[];
  /** The body of an error in the format's shape. */
  readonly errorBody: (error: unknown) => object;
  /** Called when the client has disconnected. */
  readonly onCancel: () => void;
  /** Default: 5 seconds. Milliseconds. */
  readonly commentEveryMs?: number;
}

/**
 * An answer as the Server-Sent Events of OpenAI's format, as fast as the client takes them: its chunks, then `[DONE]`.
 * While nothing comes, comments keep the line open: `: compacting` while the conversation is compacted, else
 * `: keep-alive`. A failure in the middle is an event with the error, and the end.
 */
export function answerStream(answer: AnswerStream): ReadableStream<Uint8Array> {
  const { events, chunksOf, errorBody, onCancel, commentEveryMs = COMMENT_EVERY_MS } = answer;
  const encoder = new TextEncoder();
  let waiting: Promise<IteratorResult<AnswerEvent>> | null = null;
  let comment = ': keep-alive\n\n';
  const next = () => {
    const result = events.next();
    // A failure after the client has disconnected is ignored.
    result.catch(() => undefined);
    return result;
  };
  return new ReadableStream(
    {
      async pull(controller) {
        const send = (text: string) => controller.enqueue(encoder.encode(text));
        try {
          waiting ??= next();
          const result = await within(commentEveryMs, waiting);
          if (result === null) return send(comment);
          waiting = null;
          if (result.done) {
            send('data: [DONE]\n\n');
            return controller.close();
          }
          comment = result.value.type === 'compacting' ? ': compacting\n\n' : ': keep-alive\n\n';
          const chunks = chunksOf(result.value).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
          // Sent at once, so that a client can show the progress.
          send(chunks.length === 0 ? comment : chunks.join(''));
        } catch (error) {
          send(`data: ${JSON.stringify(errorBody(error))}\n\n`);
          controller.close();
        }
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}
