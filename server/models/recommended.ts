/* The recommended models, in one place. Review when a vendor releases a new model. */

/** The month in which the recommended models were last compared with the vendors' models. */
export const RECOMMENDED_ON = '2026-11';

/**
 * Preferred models for each purpose; the first one that is served is recommended. All use tools well and accept
 * pictures.
 */
const recommended = {
  best: ['anthropic/claude-opus-5.5', 'openai/gpt-5.5', 'google/gemini-3.1-pro-preview'],
  balanced: ['anthropic/claude-sonnet-5.5', 'openai/gpt-5.4', 'google/gemini-3.8-flash'],
  cheap: ['anthropic/claude-haiku-5.5', 'openai/gpt-5-mini', 'google/gemini-2.5-flash'],
} as const satisfies Readonly<Record<Recommendation, readonly string[]>>;

/** Purpose of a recommended model. */
export type Recommendation = 'best' | 'balanced' | 'cheap';

/** A recommended model for each purpose, among those that are served; a purpose without one is omitted. */
export function recommendedAmong(isServed: (modelId: string) => boolean): ReadonlyMap<string, Recommendation> {
  const found = (purpose: Recommendation) => recommended[purpose].find(isServed);
  const pairs = (['best', 'balanced', 'cheap'] as const).map((purpose) => [found(purpose), purpose] as const);
  return new Map(pairs.flatMap(([id, purpose]) => (id === undefined ? [] : [[id, purpose] as const])));
}

/** The initial model, among those that are served; undefined if no recommended one is. */
export function firstRecommended(isServed: (modelId: string) => boolean): string | undefined {
  return [...recommended.balanced, ...recommended.best, ...recommended.cheap].find(isServed);
}
