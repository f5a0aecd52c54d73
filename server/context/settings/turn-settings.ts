import { charsByTool, choice, choiceByTool, MANY, wholeNumber } from '#server/context/settings/setting-kinds';
import { toolPolicyNames } from '#server/core/settings-report';

const HOUR_MS = 3_600_000;

/** How a step meets what goes wrong outside, and how long a turn may take. */
export const stepSettings = {
  maxSteps: wholeNumber({
    variable: 'MAX_STEPS',
    unit: 'model calls per turn',
    default: 50,
    min: 1,
    max: 1_000,
    meaning: 'A turn that asks for more is ended, after the assistant has said what is done and what is left.',
  }),
  maxContinuations: wholeNumber({
    variable: 'CONTEXT_MAX_CONTINUATIONS',
    unit: 'per turn',
    default: 3,
    min: 0,
    max: 20,
    meaning: 'How often an answer cut at the real-time limit is continued after a compaction.',
  }),
  stepRetries: wholeNumber({
    variable: 'CONTEXT_STEP_RETRIES',
    unit: 'per step',
    default: 2,
    min: 0,
    max: 20,
    meaning: 'How often a request is repeated whose failure may pass (busy, connection lost).',
  }),
  stepRetryDelay: wholeNumber({
    variable: 'CONTEXT_STEP_RETRY_DELAY_MS',
    unit: 'milliseconds',
    default: 500,
    min: 0,
    max: 600_000,
    meaning:
      'Pause before the first repetition, doubled for each one after; a provider that names a pause has its way.',
  }),
  stepRetryMaxWait: wholeNumber({
    variable: 'CONTEXT_STEP_RETRY_MAX_WAIT_MS',
    unit: 'milliseconds',
    default: 30_000,
    min: 0,
    max: 3_600_000,
    meaning: 'A provider that asks for a longer pause is not waited for: the user decides.',
  }),
  modelRefreshMaxWait: wholeNumber({
    variable: 'CONTEXT_MODEL_REFRESH_MAX_WAIT_MS',
    unit: 'milliseconds',
    default: 3_000,
    min: 0,
    max: 600_000,
    meaning: 'What a provider says of its windows after it refused a request is waited for no longer.',
  }),
  turnTimeLimitMs: wholeNumber({
    variable: 'TURN_TIME_LIMIT_MS',
    unit: 'milliseconds',
    default: 15 * 60_000,
    min: 1,
    max: 24 * HOUR_MS,
    meaning: 'A turn that takes longer is ended, after the assistant has said what is done and what is left.',
  }),
  gracePeriodMs: wholeNumber({
    variable: 'TURN_GRACE_PERIOD_MS',
    unit: 'milliseconds',
    default: 60_000,
    min: 1,
    max: HOUR_MS,
    meaning: 'For the last words of a turn whose time or steps are used up.',
  }),
} as const;

/** How tools run, and how much they may give back. */
export const toolSettings = {
  toolOutputLimit: wholeNumber({
    variable: 'TOOL_OUTPUT_LIMIT',
    unit: 'characters',
    default: 120_000,
    min: 100,
    max: MANY,
    meaning: 'All tool results of one step together.',
  }),
  toolReservedChars: wholeNumber({
    variable: 'TOOL_RESERVED_CHARS',
    unit: 'characters',
    default: 1_000,
    min: 0,
    max: MANY,
    meaning: 'What every call of a step has for itself of what its results share.',
  }),
  toolMaxOutputChars: wholeNumber({
    variable: 'TOOL_MAX_OUTPUT_CHARS',
    unit: 'characters',
    default: 30_000,
    min: 100,
    max: MANY,
    meaning: 'One tool output, for tools that set no limit of their own.',
  }),
  toolOutputChars: charsByTool({
    variable: 'TOOL_OUTPUT_CHARS',
    min: 100,
    max: MANY,
    meaning: 'One output of a tool named here, in the place of its own limit and of toolMaxOutputChars.',
  }),
  maxLines: wholeNumber({
    variable: 'TOOL_MAX_LINES',
    unit: 'lines',
    default: 2_000,
    min: 10,
    max: MANY,
    meaning: 'Lines of one tool output.',
  }),
  maxLineLength: wholeNumber({
    variable: 'TOOL_MAX_LINE_LENGTH',
    unit: 'characters',
    default: 2_000,
    min: 50,
    max: MANY,
    meaning: 'One line of a tool output.',
  }),
  maxMatches: wholeNumber({
    variable: 'TOOL_MAX_MATCHES',
    unit: 'matches',
    default: 1_000,
    min: 1,
    max: MANY,
    meaning: 'Hits that a searching tool returns.',
  }),
  toolExecution: choice({
    variable: 'TOOL_EXECUTION',
    names: ['sequential', 'parallel'],
    default: 'sequential',
    meaning:
      'How the tool calls of one step run. parallel: those that only read run at the same time, one that writes alone.',
  }),
  toolTimeoutMs: wholeNumber({
    variable: 'TOOL_TIMEOUT_MS',
    unit: 'milliseconds',
    default: 60_000,
    min: 1,
    max: HOUR_MS,
    meaning: 'A tool that takes longer is stopped; its result says so.',
  }),
  toolDefinitionsLimit: wholeNumber({
    variable: 'TOOL_DEFINITIONS_LIMIT',
    unit: 'tokens',
    default: 2_000,
    min: 200,
    max: MANY,
    meaning:
      'Definitions of the tools of all tool servers together, at most a tenth of what a model can use; above it they are loaded on demand.',
  }),
  toolPolicies: choiceByTool({
    variable: 'TOOL_POLICIES',
    names: toolPolicyNames,
    meaning:
      'Whether a tool runs by itself (always), only if the user agrees (ask), or not at all (off). Of tools that are not named, those ask that publish, take off the site, delete or change the menu or the settings; the others run.',
  }),
  toolBulkLimit: wholeNumber({
    variable: 'TOOL_BULK_LIMIT',
    unit: 'things',
    default: 5,
    min: 1,
    max: MANY,
    meaning:
      'Calls that would bring what a turn changes without asking above this many different things ask first, but for tools that toolPolicies lets run always.',
  }),
} as const;
