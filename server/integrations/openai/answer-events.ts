import type { JsonValue } from '#server/core/json';
import type { Usage } from '#server/core/conversation/messages';

/* The events of an answer, from which each format is written. */

/** An event of an answer in progress. `index` numbers the calls of the answer, from 0. */
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
