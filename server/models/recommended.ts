/* Which models to take, in one place. Look at it whenever a vendor brings out a new one. */

/** When these were last compared with what vendors offer: month of the year. */
export const RECOMMENDED_ON = '2026-11';

/** What a recommended model is good for. */
export const recommendations = ['best', 'balanced', 'cheap'] as const;
export type Recommendation = (typeof recommendations)[number];

/** For each purpose the models to take, the first that is served: all use tools well and take pictures. */
const recommended: Readonly<Record<Recommendation, readonly string[]>> = {
  best: ['anthropic/claude-opus-5.5', 'openai/gpt-5.5', 'google/gemini-3.1-pro-preview'],
  balanced: ['anthropic/claude-sonnet-5.5', 'openai/gpt-5.4', 'google/gemini-3.8-flash'],
  cheap: ['anthropic/claude-haiku-5.5', 'openai/gpt-5-mini', 'google/gemini-2.5-flash'],
};

/** The three recommended models among those that are served, each for its purpose; fewer where none is for one. */
export function recommendedAmong(isServed: (modelId: string) => boolean): ReadonlyMap<string, Recommendation> {
  // A purpose that comes first keeps the model: none is recommended twice.
  const found = recommendations.map((purpose) => [recommended[purpose].find(isServed), purpose] as const);
  return new Map(found.flatMap(([id, purpose]) => (id === undefined ? [] : [[id, purpose] as const])).toReversed());
}

/** The model to begin with, among those that are served; undefined where none of the recommended ones is. */
export function firstRecommended(isServed: (modelId: string) => boolean): string | undefined {
  return [...recommended.balanced, ...recommended.best, ...recommended.cheap].find(isServed);
}
