/* The recommended models, in one place. Look at it whenever a vendor brings out a new one. */

/** The month in which these were last compared with what vendors offer. */
export const RECOMMENDED_ON = '2026-11';

/** For each purpose the models to take, the first that is served: all use tools well and take pictures. */
const recommended = {
  best: ['anthropic/claude-opus-5.5', 'openai/gpt-5.5', 'google/gemini-3.1-pro-preview'],
  balanced: ['anthropic/claude-sonnet-5.5', 'openai/gpt-5.4', 'google/gemini-3.8-flash'],
  cheap: ['anthropic/claude-haiku-5.5', 'openai/gpt-5-mini', 'google/gemini-2.5-flash'],
} as const satisfies Readonly<Record<Recommendation, readonly string[]>>;

/** Purpose of a recommended model. */
export type Recommendation = 'best' | 'balanced' | 'cheap';

/** A recommended model for each purpose, among those that are served; fewer where none is for one. */
export function recommendedAmong(isServed: (modelId: string) => boolean): ReadonlyMap<string, Recommendation> {
  const found = (purpose: Recommendation) => recommended[purpose].find(isServed);
  const pairs = (['best', 'balanced', 'cheap'] as const).map((purpose) => [found(purpose), purpose] as const);
  return new Map(pairs.flatMap(([id, purpose]) => (id === undefined ? [] : [[id, purpose] as const])));
}

/** The model to begin with, among those that are served; undefined where none of the recommended ones is. */
export function firstRecommended(isServed: (modelId: string) => boolean): string | undefined {
  return [...recommended.balanced, ...recommended.best, ...recommended.cheap].find(isServed);
}

/**
 * Tokens of a turn in conversations of which nothing is known yet: a rule of thumb, four requests of 9,000
 * (instructions, tools and a short conversation), two thirds of them from the provider's cache.
 */
export const USUAL_TURN = { inputTokens: 36_000, outputTokens: 900, cacheReadTokens: 24_000, turns: 0 } as const;
