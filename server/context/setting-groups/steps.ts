import { wholeNumber } from '#server/context/setting-groups/setting-kinds';

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
