import type { LanguageModelUsage } from 'ai';
import type { Usage } from '#server/core/messages';

/** What the provider reported for one step, or null when it reported nothing. */
export function toUsage(usage: LanguageModelUsage): Usage | null {
  const { inputTokens, outputTokens, inputTokenDetails, outputTokenDetails, raw } = usage;
  if (inputTokens === undefined || outputTokens === undefined) return null;
  const cost = raw?.['cost'];
  return {
    inputTokens,
    outputTokens,
    ...defined('cacheReadTokens', inputTokenDetails.cacheReadTokens),
    ...defined('cacheWriteTokens', inputTokenDetails.cacheWriteTokens),
    ...defined('reasoningTokens', outputTokenDetails.reasoningTokens),
    ...defined('cost', typeof cost === 'number' ? cost : undefined),
  };
}

function defined<K extends keyof Usage>(key: K, value: number | undefined): Partial<Record<K, number>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, number>);
}
