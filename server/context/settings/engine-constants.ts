import { z } from 'zod';
import { fraction, MANY, wholeNumber } from '#server/context/settings/setting-definitions';
import { parseJson } from '#server/core/json';

/** A number of tokens, characters, milliseconds or times; `variable` still sets it, as when it was a setting. */
const whole = (variable: string, value: number, min: number, max: number) =>
  wholeNumber(variable, '', value, [min, max]).means('');
/** A share or factor. */
const share = (variable: string, value: number, min: number, max: number) =>
  fraction(variable, '', value, [min, max]).means('');

/**
 * Numbers of the engine that no person has to answer, with unit and reason. Experiments change them by a JSON object of
 * names and values: the variable ENGINE_OVERRIDES, or the stored setting `engineOverrides`.
 */
export const engineConstants = {
  /* The division of a window. */
  /** Share of the window: the most that the output reserve takes, so that a small window keeps room for the request. */
  outputReserveMaxShare: share('CONTEXT_OUTPUT_RESERVE_MAX_SHARE', 0.25, 0.01, 0.6),
  /** Share of the window: what a request may fill, never the reserve. The rest covers counts that are too low. */
  usableShare: share('CONTEXT_USABLE_SHARE', 0.85, 0.3, 0.95),
  /** Share of the window: request and output together end a step here, before the provider refuses the next request. */
  realTimeShare: share('CONTEXT_REAL_TIME_SHARE', 0.9, 0.5, 0.98),
  /** Share of the room: the most that a compaction leaves. With 0.75 the next one comes sooner, and no more is known. */
  targetShare: share('CONTEXT_TARGET_SHARE', 0.66, 0.1, 0.9),
  /** Share of the room: above it the next summary is prepared. Well over `targetShare`, as a turn may add much. */
  aheadShare: share('CONTEXT_AHEAD_SHARE', 0.8, 0.2, 1),

  /* Trust in counts. */
  /** Share of the estimate, added for decisions: a language or code can be 10 % dearer than what was calibrated on. */
  estimateMargin: share('CONTEXT_ESTIMATE_MARGIN', 0.1, 0, 1),
  /** The newest reports of a model; their median of reported / counted is its factor. */
  calibrationReports: whole('CONTEXT_CALIBRATION_REPORTS', 20, 1, 1_000),
  /** With fewer reports a model keeps its default factor (1 or 1.1): one odd report must not decide. */
  calibrationMinReports: whole('CONTEXT_CALIBRATION_MIN_REPORTS', 5, 1, 1_000),
  /** A report further from our count than so many times, either way, is a fault of the provider and not kept. */
  calibrationCredible: share('CONTEXT_CALIBRATION_CREDIBLE', 5, 1, 100),
  /** The smallest factor; a report below it drives no decision. */
  calibrationMinFactor: share('CONTEXT_CALIBRATION_MIN_FACTOR', 0.5, 0.1, 1),
  /** The largest factor; a report above it drives no decision. */
  calibrationMaxFactor: share('CONTEXT_CALIBRATION_MAX_FACTOR', 3, 1, 10),

  /* Clearing and cutting old outputs and inputs. */
  /** Share of the window less the reserve: the most that `pruneProtect` protects in a small window. */
  pruneProtectMaxShare: share('CONTEXT_PRUNE_PROTECT_MAX_SHARE', 0.3333, 0, 0.9),
  /** Share of the window less the reserve: the most that `pruneMinimum` asks for in a small window. */
  pruneMinimumMaxShare: share('CONTEXT_PRUNE_MINIMUM_MAX_SHARE', 0.1667, 0, 0.9),
  /** Share of what is sent anew that clearing must save: a compaction saves a third at least, mostly two thirds. */
  pruneGain: share('CONTEXT_PRUNE_GAIN', 0.5, 0, 10),
  /** Tokens of attached images that stay of older turns: about five pictures. At twice as many the older ones leave. */
  imageProtect: whole('CONTEXT_IMAGE_PROTECT', 8_000, 0, MANY),
  /** Share of usable: below it nothing is cleared at a turn's end; it would only cost the provider's prompt cache. */
  nearlyEmptyShare: share('CONTEXT_NEARLY_EMPTY_SHARE', 0.5, 0, 1),
  /** Characters left of each long text of an old input: enough to recognize it. */
  inputExcerptChars: whole('CONTEXT_INPUT_EXCERPT_CHARS', 400, 50, MANY),
  /** Tokens: smaller old calls stay whole, as an excerpt would cost about as much. */
  inputExcerptFrom: whole('CONTEXT_INPUT_EXCERPT_FROM', 150, 0, MANY),
  /** Share of the call: an excerpt that is larger hides more than it saves. */
  inputExcerptMaxShare: share('CONTEXT_INPUT_EXCERPT_MAX_SHARE', 0.5, 0.1, 1),
  /** Share of usable above the target: kept free when outputs are cut, so that reading on does not push them out. */
  readingShare: share('CONTEXT_READING_SHARE', 0.25, 0, 0.9),

  /* A turn's answers to what goes wrong. */
  /** Times in a turn that an answer cut at the real-time limit is continued; more would be a model without an end. */
  maxContinuations: whole('CONTEXT_MAX_CONTINUATIONS', 3, 0, 20),
  /** Times that a request is repeated whose failure may pass (busy, connection lost). */
  stepRetries: whole('CONTEXT_STEP_RETRIES', 2, 0, 20),
  /** Milliseconds before the first repetition, doubled for each one after, unless the provider names a pause. */
  stepRetryDelay: whole('CONTEXT_STEP_RETRY_DELAY_MS', 500, 0, 600_000),
  /** Milliseconds: a provider that asks for a longer pause is not waited for; the user decides. */
  stepRetryMaxWait: whole('CONTEXT_STEP_RETRY_MAX_WAIT_MS', 30_000, 0, 3_600_000),
  /** Milliseconds that a turn waits for a provider to tell its windows again, after it has refused a request. */
  modelRefreshMaxWait: whole('CONTEXT_MODEL_REFRESH_MAX_WAIT_MS', 3_000, 0, 600_000),
  /** Milliseconds for the last words of a turn whose time or steps are used up. */
  gracePeriodMs: whole('TURN_GRACE_PERIOD_MS', 60_000, 1, 3_600_000),

  /* Sizes of tool outputs. */
  /** Characters that each call of a step has in any case: the results before it must not cost it its ids. */
  toolReservedChars: whole('TOOL_RESERVED_CHARS', 1_000, 0, MANY),
  /** Lines of one output. */
  maxLines: whole('TOOL_MAX_LINES', 2_000, 10, MANY),
  /** Characters of one line: longer ones are minified code or data. */
  maxLineLength: whole('TOOL_MAX_LINE_LENGTH', 2_000, 50, MANY),
  /** Hits that a searching tool returns. */
  maxMatches: whole('TOOL_MAX_MATCHES', 1_000, 1, MANY),

  /* Numbers of one strategy. */
  /** Share of the tokens: the newest part of the conversation that proactive-threshold keeps. */
  proactiveKeepShare: share('CONTEXT_PROACTIVE_KEEP_SHARE', 0.3, 0.05, 0.9),
  /** Share of what is kept: middle-removal keeps a first request up to this. */
  firstRequestShare: share('CONTEXT_FIRST_REQUEST_SHARE', 0.25, 0, 0.9),
  /** Tokens set aside for the note of middle-removal. */
  noteMaxTokens: whole('CONTEXT_NOTE_MAX_TOKENS', 1_000, 100, MANY),
  /** Share of what it may take out: pruning-agent is asked for 40 to 60 %; a result that takes out less is refused. */
  pruningAgentMinReduction: share('CONTEXT_PRUNING_AGENT_MIN_REDUCTION', 0.25, 0, 0.9),
  /** The newest messages, as far as they fit, that pruning-agent may not take out. */
  pruningAgentKeepMessages: whole('CONTEXT_PRUNING_AGENT_KEEP_MESSAGES', 5, 3, 100),

  /* When compaction stops, and who compacts. */
  /** Compactions in a row that gained too little, after which automatic ones stop for the session. */
  breakerAttempts: whole('CONTEXT_BREAKER_ATTEMPTS', 2, 1, 20),
  /** Share of the tokens: a compaction that saves less gained too little. */
  breakerMinimumGain: share('CONTEXT_BREAKER_MINIMUM_GAIN', 0.1, 0, 0.9),
  /** Milliseconds: a compaction whose process died blocks its session no longer. */
  compactionLease: whole('CONTEXT_COMPACTION_LEASE_MS', 5_000, 500, 600_000),
  /** Milliseconds between renewals: two may be late before the lease runs out. */
  compactionLeaseRenewal: whole('CONTEXT_COMPACTION_LEASE_RENEWAL_MS', 1_500, 100, 300_000),
  /** Milliseconds between two looks of a turn that waits for another process's compaction. */
  compactionLeaseRetry: whole('CONTEXT_COMPACTION_LEASE_RETRY_MS', 100, 10, 60_000),

  /* The pieces of a summary. */
  /** Share of the room: the most that the summary takes, so that there is space for the newest step beside it. */
  summaryShare: share('CONTEXT_SUMMARY_SHARE', 0.6, 0.1, 0.7),
  /** Share of the room: the user's words in the summary, which come first. */
  wordsShare: share('CONTEXT_WORDS_SHARE', 0.4, 0.05, 0.6),
  /** Share of the room: how things stand now, a line for each page; the newest, then counts. */
  stateShare: share('CONTEXT_STATE_SHARE', 0.1, 0.01, 0.3),
  /** Share of the room: the most that the newest turns take, so that the prefix stays the same for many steps. */
  tailShare: share('CONTEXT_TAIL_SHARE', 0.25, 0.05, 0.9),
  /** Tokens that the model may write. */
  narrativeMaxTokens: whole('CONTEXT_NARRATIVE_MAX_TOKENS', 2_000, 100, MANY),
  /** Milliseconds of one call; a longer one is a failed attempt. */
  summaryCallTimeout: whole('CONTEXT_SUMMARY_CALL_TIMEOUT_MS', 120_000, 50, 3_600_000),
  /** Milliseconds of all calls for one compaction, from when its summary was begun, also in the background. */
  summaryTimeout: whole('CONTEXT_SUMMARY_TIMEOUT_MS', 300_000, 50, 3_600_000),
  /** Share of usable: a message of the user that is longer stands in the summary as an excerpt; all kept wishes. */
  messageShare: share('CONTEXT_MESSAGE_SHARE', 0.05, 0.01, 0.2),
  /** Characters of one text that the summarizer reads; up to four times as much where its window allows. */
  transcriptMessageChars: whole('CONTEXT_TRANSCRIPT_MESSAGE_CHARS', 2_000, 100, MANY),
  /** Characters of one tool input or output that the summarizer reads; up to eight times as much. */
  transcriptToolChars: whole('CONTEXT_TRANSCRIPT_TOOL_CHARS', 500, 50, MANY),
  /** Share of the summarizer's input: the most that the record takes, and what it told last time; messages the rest. */
  transcriptPreviousShare: share('CONTEXT_TRANSCRIPT_PREVIOUS_SHARE', 0.25, 0.05, 0.4),
} as const;

/** Names of earlier versions that nothing reads any more. They may still be stored or overridden: no fault. */
export const retiredNames: ReadonlySet<string> = new Set([
  'summaryMaxTokens',
  'strategyAimShare',
  'softLimitShare',
  'narrativeShare',
  'summaryAttempts',
  'summaryTemperature',
  'ledgerShare',
  'originalRequestShare',
  'standingShare',
  'tightShare',
]);

export type ConstantName = keyof typeof engineConstants;

export type EngineOverrides = { readonly [Name in ConstantName]?: number };

export const constantNames = Object.keys(engineConstants) as ConstantName[];

export const isConstantName = (name: string): name is ConstantName => Object.hasOwn(engineConstants, name);

const misshapen = 'must be a JSON object of engine constants, like {"usableShare": 0.8}';

const optionalSchemas = constantNames.map((name) => [name, engineConstants[name].schema.optional()] as const);

/** Checks each override by the range of its constant; what is retired is left out. */
export const engineOverridesSchema = z
  .record(z.string(), z.unknown(), misshapen)
  .transform((given) => Object.fromEntries(Object.entries(given).filter(([name]) => !retiredNames.has(name))))
  .pipe(z.strictObject(Object.fromEntries(optionalSchemas), misshapen))
  .transform((overrides) => overrides as EngineOverrides);

/** Reads overrides from the environment's text. */
export const engineOverridesTextSchema = z.string().transform(parseJson).pipe(engineOverridesSchema);
