import type { Usage } from '#server/core/messages';

/** Usage in OpenAI's shape; `cost` in US dollars where the provider says it, as OpenRouter does. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
  readonly cost?: number;
}

/** What all model calls of one answer have used together. */
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
