import type { JsonValue } from '#server/core/json';
import type { Usage } from '#server/core/conversation/messages';

/* Responses in OpenAI's format: as chunks of a stream, or as one object. */

/** An event of a response in progress. `index` numbers the calls of the response, from 0. */
export type AnswerEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** These characters at the end of what was sent only repeat what is before them; a stream cannot take them back. */
  | { readonly type: 'repetition'; readonly of: 'text' | 'reasoning'; readonly characters: number }
  | { readonly type: 'call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'arguments'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning-details'; readonly details: readonly JsonValue[] }
  /** A compaction has started in the middle of the response. */
  | { readonly type: 'compacting' }
  /** The last event. */
  | { readonly type: 'end'; readonly finishReason: WireFinishReason; readonly usage: WireUsage };

/** Fields common to all chunks of a response. */
export interface AnswerIdentity {
  readonly id: string;
  /** Epoch seconds. */
  readonly created: number;
  /** The complete id of the responding model. */
  readonly model: string;
}

type Delta = Readonly<Record<string, unknown>>;

/**
 * Returns a function that converts each event to chunks of OpenAI's stream. The first chunk contains the role.
 * @param includeUsage true: the usage follows as a chunk of its own at the end
 */
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
    if (event.type === 'compacting' || event.type === 'repetition') return [];
    if (event.type !== 'end') return [say(deltaOf(event))];
    const { finishReason, usage } = event;
    return [say({}, finishReason), ...(includeUsage ? [chunk({ choices: [], usage })] : [])];
  };
}

/** Fields common to chunks and complete responses. */
function headOf({ id, created, model }: AnswerIdentity, object: string) {
  return { id, object, created, model, system_fingerprint: null };
}

function deltaOf(event: Exclude<AnswerEvent, { type: 'end' | 'compacting' | 'repetition' }>): Delta {
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

/** A tool call whose arguments are being collected. */
interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/** Collects the events of a response into one object. */
export async function collectCompletion(identity: AnswerIdentity, events: AsyncIterable<AnswerEvent>): Promise<object> {
  const said = { text: '', reasoning: '' };
  const details: JsonValue[] = [];
  const calls: Call[] = [];
  let end: Extract<AnswerEvent, { type: 'end' }> | null = null;
  for await (const event of events) {
    if (event.type === 'text' || event.type === 'reasoning') said[event.type] += event.text;
    else if (event.type === 'repetition') said[event.of] = said[event.of].slice(0, -event.characters);
    else if (event.type === 'reasoning-details') details.push(...event.details);
    else if (event.type === 'call') calls[event.index] = { id: event.id, name: event.name, arguments: '' };
    else if (event.type === 'arguments') appendTo(calls[event.index], event.text);
    else if (event.type === 'end') end = event;
  }
  const { text: content, reasoning } = said;
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

/** OpenAI's finish reasons. */
export type WireFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** OpenAI's finish reasons by those of the AI SDK; all others are `stop`. */
const REASONS: Readonly<Record<string, WireFinishReason>> = {
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/**
 * Converts a finish reason of the AI SDK to OpenAI's.
 * @param hasCalls whether tools were called: clients rely on `tool_calls`, and some providers send "stop" nevertheless
 */
export function wireFinishReason(reason: string, hasCalls: boolean): WireFinishReason {
  const converted = REASONS[reason] ?? 'stop';
  return converted === 'stop' && hasCalls ? 'tool_calls' : converted;
}

/** Usage in OpenAI's format; `cost` in US dollars if the provider reports it, as OpenRouter does. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
  readonly cost?: number;
}

/** Adds up the usage of all model calls of one response. */
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
