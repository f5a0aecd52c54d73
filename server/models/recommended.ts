/**
 * Which models to take for which purpose, the first that is served: all use tools well and take pictures. Compared with
 * what vendors offer in November 2026; look at it whenever one of them brings out a new model.
 */
const recommended = {
  balanced: ['anthropic/claude-sonnet-5.5', 'openai/gpt-5.4', 'google/gemini-3.8-flash'],
  best: ['anthropic/claude-opus-5.5', 'openai/gpt-5.5', 'google/gemini-3.1-pro-preview'],
  cheap: ['anthropic/claude-haiku-5.5', 'openai/gpt-5-mini', 'google/gemini-2.5-flash'],
} as const;

/** The model to begin with, among those that are served; undefined where none of the recommended ones is. */
export function firstRecommended(isServed: (modelId: string) => boolean): string | undefined {
  return [...recommended.balanced, ...recommended.best, ...recommended.cheap].find(isServed);
}
