/** US dollars per million tokens, without surcharges for long requests. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** Prices of input read from the provider's cache, and of input written to it. Null: the same as other input. */
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
}

/**
 * Cost of cached input, as a share of other input: read, and written. As published by the vendors by November 2026; the
 * first match applies, and vendors that are not listed give no discount.
 */
const cacheShares: readonly (readonly [ids: RegExp, read: number, write: number])[] = [
  [/^anthropic\//, 0.1, 1.25],
  [/^openai\/gpt-5/, 0.1, 1],
  [/^openai\/(?:gpt-4\.1|o3|o4)/, 0.25, 1],
  [/^openai\/gpt-4o/, 0.5, 1],
  [/^(?:google|deepseek)\//, 0.1, 1],
];

/** List prices of a model with the given input and output prices. */
export function pricesOf(id: string, input: number, output: number): ModelPrices {
  const [, read, write] = cacheShares.find(([ids]) => ids.test(id)) ?? [];
  if (read === undefined || write === undefined) return { input, output, cacheRead: null, cacheWrite: null };
  return { input, output, cacheRead: input * read, cacheWrite: input * write };
}

/** Tokens of a call; the input is the whole request. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

const MILLION = 1_000_000;

/** Cost of a call at list prices, US dollars. */
export function listCost(usage: TokenUsage, prices: ModelPrices): number {
  return inputCost(usage, prices) + (usage.outputTokens * prices.output) / MILLION;
}

/** Cost of a call's input at list prices, US dollars. */
export function inputCost(
  { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: TokenUsage,
  prices: ModelPrices,
): number {
  const { input } = prices;
  const [cacheRead, cacheWrite] = [prices.cacheRead ?? input, prices.cacheWrite ?? input];
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  return (plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite) / MILLION;
}

/** Savings from the cache, US dollars; negative if writing cost more than reading saved. */
export function cacheSaving(usage: TokenUsage, prices: ModelPrices): number {
  return (usage.inputTokens * prices.input) / MILLION - inputCost(usage, prices);
}
