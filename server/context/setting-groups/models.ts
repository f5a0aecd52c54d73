import { MANY, modelId, tokensByModel } from '#server/context/setting-groups/setting-kinds';

/** In `defaultModel`: the best that the configured providers have. */
export const AUTO_MODEL = '__auto__';
/** In other settings that name a model: the model of the session. */
export const SAME_MODEL = '__same__';

/** Which models are used, and how much they take. */
export const modelSettings = {
  defaultModel: modelId({
    variable: 'DEFAULT_MODEL',
    default: AUTO_MODEL,
    meaning: `Model of sessions that name none; \`${AUTO_MODEL}\` is anthropic/claude-sonnet-5.5 with an OpenRouter key, else the offline assistant.`,
  }),
  compactionModel: modelId({
    variable: 'COMPACTION_MODEL',
    default: SAME_MODEL,
    meaning: `Model that writes the summaries; \`${SAME_MODEL}\` is the model of the session.`,
  }),
  modelWindowOverrides: tokensByModel({
    variable: 'CONTEXT_MODEL_WINDOWS',
    min: 1_000,
    max: MANY,
    meaning: 'The context window of a model whose published one is not known or not wanted.',
  }),
} as const;
