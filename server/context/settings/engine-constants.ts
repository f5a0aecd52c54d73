import { serverText } from '#server/core/messages/server-text';
import { z } from 'zod';
import { fraction, MAX_SETTING_VALUE, wholeNumber } from '#server/context/settings/setting-definitions';
import { parseJson } from '#server/core/json';

/*
 * Definitions of constants. Unit and meaning are empty, because constants have no row in the report of the settings;
 * both are in the comment of each constant.
 */

/**
 * A number of tokens, characters, milliseconds or repetitions. `variable` is an environment variable from the time when
 * this was a setting; it still works.
 */
const whole = (variable: string, value: number, min: number, max: number) =>
  wholeNumber(variable, '', value, [min, max]);
/** A share or factor. */
const share = (variable: string, value: number, min: number, max: number) => fraction(variable, '', value, [min, max]);

/**
 * Numbers of the engine that users need not choose, with their unit. A number whose comment states no measurement is a
 * choice. Rules between two of them (which must be the smaller one) are in context-settings.ts, `orders`. Experiments
 * override them by a JSON object of names and values: the environment variable ENGINE_OVERRIDES, or the stored setting
 * `engineOverrides`.
 *
 * Window: the tokens that a model accepts. Output reserve: the part of the window for the answer. Usable tokens: what a
 * request may fill. Record: the lines that the engine writes about earlier tool calls. Narrative: the part of a summary
 * that a model writes. Transcript: the text of the compacted messages that this model reads.
 */
export const engineConstants = {
  /* The division of a window. */
  /** Share of the window: maximum of the output reserve, so that a small window has space left for the request. */
  outputReserveMaxShare: share('CONTEXT_OUTPUT_RESERVE_MAX_SHARE', 0.25, 0.01, 0.6),
  /**
   * Share of the window that a request may fill, in addition to the output reserve. The rest covers counts that are too
   * low.
   */
  usableShare: share('CONTEXT_USABLE_SHARE', 0.85, 0.3, 0.95),
  /**
   * Share of the window: at this size of request plus output a step is ended, before the provider refuses the next
   * request.
   */
  realTimeShare: share('CONTEXT_REAL_TIME_SHARE', 0.9, 0.5, 0.98),
  /**
   * Share of the usable tokens that a compaction leaves, instructions and tools included: summary and newest turns fill
   * it, and the rest is free until the next compaction. Requests then take three quarters on average.
   */
  targetShare: share('CONTEXT_TARGET_SHARE', 0.55, 0.1, 0.9),
  /**
   * Share of the usable tokens above which the next summary is prepared. Well above `targetShare`, because one turn may
   * add a lot.
   */
  aheadShare: share('CONTEXT_AHEAD_SHARE', 0.8, 0.2, 1),

  /*
   * Trust in counts: each model has a factor between our count and the one that its provider reports. The numbers are
   * choices: some reports are enough for a median, and the bounds exclude reports that can only be faults.
   */
  /**
   * Share of the estimate that is added for decisions: a language or code can cost 10 % more than what was calibrated.
   */
  estimateMargin: share('CONTEXT_ESTIMATE_MARGIN', 0.1, 0, 1),
  /** Number of newest reports of a model. The median of reported / counted is its factor. */
  calibrationReports: whole('CONTEXT_CALIBRATION_REPORTS', 20, 1, 1_000),
  /** With fewer reports a model keeps its default factor (1 or 1.1), so that one odd report does not decide. */
  calibrationMinReports: whole('CONTEXT_CALIBRATION_MIN_REPORTS', 5, 1, 1_000),
  /** A report that differs from our count by more than this factor is a fault of the provider and is ignored. */
  calibrationCredible: share('CONTEXT_CALIBRATION_CREDIBLE', 5, 1, 100),
  /** Smallest factor. A report below it is not used for decisions. */
  calibrationMinFactor: share('CONTEXT_CALIBRATION_MIN_FACTOR', 0.5, 0.1, 1),
  /** Largest factor. A report above it is not used for decisions. */
  calibrationMaxFactor: share('CONTEXT_CALIBRATION_MAX_FACTOR', 3, 1, 10),

  /*
   * Clearing and cutting old outputs and inputs. Choices, except where a reason is given; the two shares for small
   * windows are a third and a sixth.
   */
  /** Share of the window minus the reserve: limits `pruneProtect` in a small window. */
  pruneProtectMaxShare: share('CONTEXT_PRUNE_PROTECT_MAX_SHARE', 0.3333, 0, 0.9),
  /** Share of the window minus the reserve: limits `pruneMinimum` in a small window. */
  pruneMinimumMaxShare: share('CONTEXT_PRUNE_MINIMUM_MAX_SHARE', 0.1667, 0, 0.9),
  /**
   * Share of the tokens that the provider reads again after clearing, because its prompt cache no longer applies:
   * clearing must save at least this much. A compaction saves a third at least, mostly two thirds.
   */
  pruneGain: share('CONTEXT_PRUNE_GAIN', 0.5, 0, 10),
  /**
   * Tokens of attached images that are kept of older turns: about five pictures. At twice as many, the older ones are
   * cleared.
   */
  imageProtect: whole('CONTEXT_IMAGE_PROTECT', 8_000, 0, MAX_SETTING_VALUE),
  /**
   * Share of the usable tokens: below it nothing is cleared at the end of a turn, because that would only invalidate
   * the provider's prompt cache.
   */
  nearlyEmptyShare: share('CONTEXT_NEARLY_EMPTY_SHARE', 0.5, 0, 1),
  /** Characters that remain of each long text of an old input: enough to recognize it. */
  inputExcerptChars: whole('CONTEXT_INPUT_EXCERPT_CHARS', 400, 50, MAX_SETTING_VALUE),
  /** Tokens: smaller old calls are kept complete, because an excerpt would cost about as much. */
  inputExcerptFrom: whole('CONTEXT_INPUT_EXCERPT_FROM', 150, 0, MAX_SETTING_VALUE),
  /** Share of the call: a larger excerpt hides more than it saves. */
  inputExcerptMaxShare: share('CONTEXT_INPUT_EXCERPT_MAX_SHARE', 0.5, 0.1, 1),
  /**
   * Share of the space between the target and the usable tokens that stays free when outputs are cut to fit: reading
   * the rest of an output must not push out the excerpts of the others.
   */
  readingShare: share('CONTEXT_READING_SHARE', 0.25, 0, 0.9),

  /*
   * How a turn handles failures. Choices: a person waits for the answer, so that few and short retries are better than
   * a long silence.
   */
  /**
   * Number of calls in a row that the output limit of a model cuts, and of cuts of one answer of `/v1`, after which the
   * answer ends; more would indicate a model that never ends.
   */
  maxContinuations: whole('CONTEXT_MAX_CONTINUATIONS', 3, 0, 20),
  /** Number of retries of a request after a temporary failure (busy, connection lost). */
  stepRetries: whole('CONTEXT_STEP_RETRIES', 2, 0, 20),
  /** Milliseconds before the first retry, doubled for each further one, unless the provider names a pause. */
  stepRetryDelay: whole('CONTEXT_STEP_RETRY_DELAY_MS', 500, 0, 600_000),
  /** Milliseconds: if a provider asks for a longer pause, the turn does not wait, and the user decides. */
  stepRetryMaxWait: whole('CONTEXT_STEP_RETRY_MAX_WAIT_MS', 30_000, 0, 3_600_000),
  /** Milliseconds that a turn waits for a provider's refreshed context windows after the provider refused a request. */
  modelRefreshMaxWait: whole('CONTEXT_MODEL_REFRESH_MAX_WAIT_MS', 3_000, 0, 600_000),
  /** Milliseconds for the final answer of a turn whose time or steps are used up. */
  gracePeriodMs: whole('TURN_GRACE_PERIOD_MS', 60_000, 1, 3_600_000),

  /* Sizes of tool outputs. Choices: ordinary pages and lists are far below them. */
  /** Characters reserved for each later call of a step, so that large results before it leave space for its ids. */
  toolReservedChars: whole('TOOL_RESERVED_CHARS', 1_000, 0, MAX_SETTING_VALUE),
  /** Maximum lines of one output. */
  maxLines: whole('TOOL_MAX_LINES', 2_000, 10, MAX_SETTING_VALUE),
  /** Maximum characters of one line: longer ones are minified code or data. */
  maxLineLength: whole('TOOL_MAX_LINE_LENGTH', 2_000, 50, MAX_SETTING_VALUE),
  /** Maximum number of matches that a search tool returns. */
  maxMatches: whole('TOOL_MAX_MATCHES', 1_000, 1, MAX_SETTING_VALUE),

  /* Numbers of one strategy each (see strategies.ts). Choices. */
  /** Share of the conversation's tokens: proactive-threshold keeps the newest messages up to this size. */
  proactiveKeepShare: share('CONTEXT_PROACTIVE_KEEP_SHARE', 0.3, 0.05, 0.9),
  /** Share of the kept tokens: maximum size of a first request that middle-removal keeps. */
  firstRequestShare: share('CONTEXT_FIRST_REQUEST_SHARE', 0.25, 0, 0.9),
  /** Tokens reserved for the note of middle-removal. */
  noteMaxTokens: whole('CONTEXT_NOTE_MAX_TOKENS', 1_000, 100, MAX_SETTING_VALUE),
  /**
   * Share of the removable tokens: pruning-agent is asked to remove 40 to 60 %; a result that removes less than this
   * share is refused.
   */
  pruningAgentMinReduction: share('CONTEXT_PRUNING_AGENT_MIN_REDUCTION', 0.25, 0, 0.9),
  /** Number of the newest messages, as far as they fit, that pruning-agent may not remove. */
  pruningAgentKeepMessages: whole('CONTEXT_PRUNING_AGENT_KEEP_MESSAGES', 5, 3, 100),

  /*
   * When compaction stops, and which process compacts. Choices: the lease is short, because a session whose process
   * died waits for its end.
   */
  /** Consecutive compactions with too little gain after which automatic ones stop for the session. */
  breakerAttempts: whole('CONTEXT_BREAKER_ATTEMPTS', 2, 1, 20),
  /** Share of the tokens: a compaction that saves less has gained too little. */
  breakerMinimumGain: share('CONTEXT_BREAKER_MINIMUM_GAIN', 0.1, 0, 0.9),
  /** Milliseconds after which a compaction whose process died stops blocking its session. */
  compactionLease: whole('CONTEXT_COMPACTION_LEASE_MS', 5_000, 500, 600_000),
  /** Milliseconds between renewals: two may be late before the lease expires. */
  compactionLeaseRenewal: whole('CONTEXT_COMPACTION_LEASE_RENEWAL_MS', 1_500, 100, 300_000),
  /** Milliseconds between checks of a turn that waits for another process's compaction. */
  compactionLeaseRetry: whole('CONTEXT_COMPACTION_LEASE_RETRY_MS', 100, 10, 60_000),

  /* The parts of a summary. Choices: the user's words have the largest share, because nothing can replace them. */
  /** Share of what a compaction leaves: the most that the summary takes, so that the newest turns also fit. */
  summaryShare: share('CONTEXT_SUMMARY_SHARE', 0.85, 0.1, 0.9),
  /** Share of what a compaction leaves: the user's words in the summary, which come first. */
  wordsShare: share('CONTEXT_WORDS_SHARE', 0.75, 0.05, 0.9),
  /** Share of what a compaction leaves: the current state, one line per page; the newest ones, then counts. */
  stateShare: share('CONTEXT_STATE_SHARE', 0.1, 0.01, 0.3),
  /** Share of what a compaction leaves that is kept for the newest turns; they also get what the summary does not need. */
  tailShare: share('CONTEXT_TAIL_SHARE', 0.15, 0.05, 0.9),
  /** Maximum tokens of the narrative. */
  narrativeMaxTokens: whole('CONTEXT_NARRATIVE_MAX_TOKENS', 2_000, 100, MAX_SETTING_VALUE),
  /** Milliseconds of one call of the summarizing model; a longer one counts as a failed attempt. */
  summaryCallTimeout: whole('CONTEXT_SUMMARY_CALL_TIMEOUT_MS', 120_000, 50, 3_600_000),
  /**
   * Milliseconds of all calls of that model for one compaction, from the start of its summary, including background
   * time.
   */
  summaryTimeout: whole('CONTEXT_SUMMARY_TIMEOUT_MS', 300_000, 50, 3_600_000),
  /**
   * Share of the usable tokens: maximum of one user message in the summary, above which it is an excerpt, and of all
   * stored preferences together.
   */
  messageShare: share('CONTEXT_MESSAGE_SHARE', 0.05, 0.01, 0.2),
  /** Characters of one text that the summarizer reads; up to four times as many if its window allows. */
  transcriptMessageChars: whole('CONTEXT_TRANSCRIPT_MESSAGE_CHARS', 2_000, 100, MAX_SETTING_VALUE),
  /** Characters of one tool input or output that the summarizer reads; up to eight times as many. */
  transcriptToolChars: whole('CONTEXT_TRANSCRIPT_TOOL_CHARS', 500, 50, MAX_SETTING_VALUE),
  /** Share of the summarizer's input: maximum of the record and the previous narrative; messages fill the rest. */
  transcriptPreviousShare: share('CONTEXT_TRANSCRIPT_PREVIOUS_SHARE', 0.25, 0.05, 0.4),
} as const;

/** Setting names of earlier versions, no longer read. Stored or overridden values of them are accepted and ignored. */
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

/** Name of a constant. */
export type ConstantName = keyof typeof engineConstants;

/** Values that replace those of constants. */
export type EngineOverrides = { readonly [Name in ConstantName]?: number };

/** Names of all constants. */
export const constantNames = Object.keys(engineConstants) as ConstantName[];

/** True for the name of a constant. */
export const isConstantName = (name: string): name is ConstantName => Object.hasOwn(engineConstants, name);

/** What overrides must be: an object of names and numbers. */
export const overridesRule = serverText('setting-constants');
const misshapen = overridesRule.text;

/** The schema of each override. */
const optionalSchemas = constantNames.map((name) => [name, engineConstants[name].schema.optional()] as const);

/** Validates each override by the range of its constant; drops retired names. */
export const engineOverridesSchema = z
  .record(z.string(), z.unknown(), misshapen)
  .transform((given) => Object.fromEntries(Object.entries(given).filter(([name]) => !retiredNames.has(name))))
  .pipe(z.strictObject(Object.fromEntries(optionalSchemas), misshapen))
  .transform((overrides) => overrides as EngineOverrides);

/** Parses overrides from the text of the environment variable. */
export const engineOverridesTextSchema = z.string().transform(parseJson).pipe(engineOverridesSchema);
