import { type ContextSettings, defaultSettings } from '#server/context/context-settings';

/** What a provider charged for one request, beside what we counted for the same. */
export interface Observation {
  /** Input tokens as reported, cache reads and writes included, media left out. */
  readonly reported: number;
  /** The same request in our vocabulary, before any factor. */
  readonly counted: number;
  readonly contextWindow: number;
}

/**
 * How many of the newest ratios are kept; how few say too little (the median of five stays sound with two of them off);
 * and the factors that no tokenizer is further from ours than, over a whole request.
 */
export type CalibrationSettings = Pick<
  ContextSettings,
  | 'calibrationReports'
  | 'calibrationMinReports'
  | 'calibrationCredible'
  | 'calibrationMinFactor'
  | 'calibrationMaxFactor'
>;

/**
 * The ratios (reported / counted, oldest first) with one more observation, the newest 20 by default. An absurd report (zero,
 * negative, not a number, above the window, or far from any tokenizer) changes nothing.
 */
export function calibrate(
  ratios: readonly number[],
  observed: Observation,
  { calibrationReports, calibrationCredible }: CalibrationSettings = defaultSettings,
): readonly number[] {
  const { reported, counted, contextWindow } = observed;
  const ratio = reported / counted;
  // Beyond, it is no measurement but a broken report (a cache left out, several requests summed).
  const credible =
    reported > 0 &&
    counted > 0 &&
    reported <= contextWindow &&
    ratio >= 1 / calibrationCredible &&
    ratio <= calibrationCredible;
  return credible ? [...ratios, ratio].slice(-calibrationReports) : ratios;
}

/**
 * What to multiply our counts by for a model: the median of its ratios, within 0.5 and 3 by default.
 * @param fallback the factor while there are too few, fewer than five by default
 */
export function factorOf(
  ratios: readonly number[],
  fallback: number,
  { calibrationMinReports, calibrationMinFactor, calibrationMaxFactor }: CalibrationSettings = defaultSettings,
): number {
  if (ratios.length < calibrationMinReports) return fallback;
  return Math.min(calibrationMaxFactor, Math.max(calibrationMinFactor, median(ratios)));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return (lower + upper) / 2;
}
