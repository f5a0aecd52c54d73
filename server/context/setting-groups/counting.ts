import { fraction, wholeNumber } from '#server/context/setting-groups/setting-kinds';

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
