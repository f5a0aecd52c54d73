import { fraction, MANY, modelId, tokensByModel, wholeNumber } from '#server/context/settings/setting-kinds';

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

/** How much of a window is used for what. */
export const limitSettings = {
  outputReserve: wholeNumber({
    variable: 'CONTEXT_OUTPUT_RESERVE',
    unit: 'tokens',
    default: 4_096,
    min: 1,
    max: MANY,
    meaning: "Kept free for the answer; at most outputReserveMaxShare of the window and the model's maximum output.",
  }),
  outputReserveMaxShare: fraction({
    variable: 'CONTEXT_OUTPUT_RESERVE_MAX_SHARE',
    unit: 'of the window',
    default: 0.25,
    min: 0.01,
    max: 0.6,
    meaning: 'The most that the output reserve takes of a small window.',
  }),
  usableShare: fraction({
    variable: 'CONTEXT_USABLE_SHARE',
    unit: 'of the window',
    default: 0.85,
    min: 0.3,
    max: 0.95,
    meaning: 'A request may fill this much, and never the output reserve; above it is an overflow.',
  }),
  realTimeShare: fraction({
    variable: 'CONTEXT_REAL_TIME_SHARE',
    unit: 'of the window',
    default: 0.9,
    min: 0.5,
    max: 0.98,
    meaning: 'A step that streams is ended cleanly once request and output together reach this.',
  }),
  targetShare: fraction({
    variable: 'CONTEXT_TARGET_SHARE',
    unit: 'of usable',
    default: 0.5,
    min: 0.1,
    max: 0.9,
    meaning: 'A compaction aims at this share of what instructions and tool schemas leave of usable.',
  }),
  softLimitShare: fraction({
    variable: 'CONTEXT_SOFT_LIMIT_SHARE',
    unit: 'of usable',
    default: 0.7,
    min: 0.2,
    max: 1,
    meaning: 'A turn that ends above this has the next summary prepared in the background.',
  }),
} as const;

/** How far our counts are trusted. */
export const countingSettings = {
  estimateMargin: fraction({
    variable: 'CONTEXT_ESTIMATE_MARGIN',
    unit: 'of the estimate',
    default: 0.1,
    min: 0,
    max: 1,
    meaning: 'Added, for decisions, to tokens that are estimated and not reported; what is shown does not have it.',
  }),
  calibrationReports: wholeNumber({
    variable: 'CONTEXT_CALIBRATION_REPORTS',
    unit: 'reports',
    default: 20,
    min: 1,
    max: 1_000,
    meaning: 'The newest reports of a model that its factor (reported tokens / ours) is the median of.',
  }),
  calibrationMinReports: wholeNumber({
    variable: 'CONTEXT_CALIBRATION_MIN_REPORTS',
    unit: 'reports',
    default: 5,
    min: 1,
    max: 1_000,
    meaning: 'With fewer, a model counts with its default factor (1 or 1.1).',
  }),
  calibrationCredible: fraction({
    variable: 'CONTEXT_CALIBRATION_CREDIBLE',
    unit: 'times our count',
    default: 5,
    min: 1,
    max: 100,
    meaning: 'A report of more than so many times our count, or of less than one part in so many, is not kept.',
  }),
  calibrationMinFactor: fraction({
    variable: 'CONTEXT_CALIBRATION_MIN_FACTOR',
    unit: 'times our count',
    default: 0.5,
    min: 0.1,
    max: 1,
    meaning: 'The smallest factor; a report below it drives no decision.',
  }),
  calibrationMaxFactor: fraction({
    variable: 'CONTEXT_CALIBRATION_MAX_FACTOR',
    unit: 'times our count',
    default: 3,
    min: 1,
    max: 10,
    meaning: 'The largest factor; a report above it drives no decision.',
  }),
} as const;

/** What is cleared or cut of old outputs and inputs. */
export const pruningSettings = {
  pruneProtect: wholeNumber({
    variable: 'CONTEXT_PRUNE_PROTECT',
    unit: 'tokens',
    default: 40_000,
    min: 0,
    max: MANY,
    meaning: 'The newest tool outputs that are never cleared; at most pruneProtectMaxShare of the window.',
  }),
  pruneProtectMaxShare: fraction({
    variable: 'CONTEXT_PRUNE_PROTECT_MAX_SHARE',
    unit: 'of window less reserve',
    default: 0.3333,
    min: 0,
    max: 0.9,
    meaning: 'The most that pruneProtect protects in a small window.',
  }),
  pruneMinimum: wholeNumber({
    variable: 'CONTEXT_PRUNE_MINIMUM',
    unit: 'tokens',
    default: 20_000,
    min: 0,
    max: MANY,
    meaning: 'Clearing old tool outputs must save this to be worth it; at most pruneMinimumMaxShare of the window.',
  }),
  pruneMinimumMaxShare: fraction({
    variable: 'CONTEXT_PRUNE_MINIMUM_MAX_SHARE',
    unit: 'of window less reserve',
    default: 0.1667,
    min: 0,
    max: 0.9,
    meaning: 'The most that pruneMinimum asks for in a small window.',
  }),
  imageProtect: wholeNumber({
    variable: 'CONTEXT_IMAGE_PROTECT',
    unit: 'tokens',
    default: 8_000,
    min: 0,
    max: MANY,
    meaning:
      'The newest attached images of older turns that stay in view; once there are twice as many, all older ones leave it, before any text does. At most pruneMinimumMaxShare of the window.',
  }),
  minTurnsToKeep: wholeNumber({
    variable: 'CONTEXT_MIN_TURNS_TO_KEEP',
    unit: 'turns',
    default: 2,
    min: 1,
    max: 100,
    meaning: 'Newest turns whose tool outputs are never cleared and that a compaction keeps if they fit.',
  }),
  inputExcerptChars: wholeNumber({
    variable: 'CONTEXT_INPUT_EXCERPT_CHARS',
    unit: 'characters',
    default: 400,
    min: 50,
    max: MANY,
    meaning: 'What pruning leaves of a long text in the input of an old tool call.',
  }),
  inputExcerptFrom: wholeNumber({
    variable: 'CONTEXT_INPUT_EXCERPT_FROM',
    unit: 'tokens',
    default: 150,
    min: 0,
    max: MANY,
    meaning: 'Old tool calls below this are not looked at: an excerpt would cost about as much.',
  }),
  inputExcerptMaxShare: fraction({
    variable: 'CONTEXT_INPUT_EXCERPT_MAX_SHARE',
    unit: 'of the call',
    default: 0.5,
    min: 0.1,
    max: 1,
    meaning: 'The excerpt of an old input must be at most this much of its call, else it stays whole.',
  }),
  readingShare: fraction({
    variable: 'CONTEXT_READING_SHARE',
    unit: 'of usable above the target',
    default: 0.25,
    min: 0,
    max: 0.9,
    meaning: 'Kept free when outputs are cut to fit, so that reading on does not push them out again.',
  }),
} as const;
