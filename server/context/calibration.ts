/** What a provider charged for one request, beside what we counted for the same. */
export interface Observation {
  /** Input tokens as reported, cache reads and writes included, media left out. */
  readonly reported: number;
  /** The same request in our vocabulary, before any factor. */
  readonly counted: number;
  readonly contextWindow: number;
}

/** Newest ratios that are kept. */
export const MAX_RATIOS = 20;
/** Fewer say too little: the median of five stays sound with two of them off. */
export const MIN_RATIOS = 5;
/** No tokenizer is further from ours than this over a whole request. */
const FACTOR = { least: 0.5, most: 3 };
/** A ratio beyond is no measurement but a broken report (a cache left out, several requests summed). */
const CREDIBLE = { least: 0.2, most: 5 };

/**
 * The ratios (reported / counted, oldest first) with one more observation, the newest 20. An absurd report (zero,
 * negative, not a number, above the window, or far from any tokenizer) changes nothing.
 */
export function calibrate(ratios: readonly number[], observed: Observation): readonly number[] {
  const { reported, counted, contextWindow } = observed;
  const ratio = reported / counted;
  const credible =
    reported > 0 && counted > 0 && reported <= contextWindow && ratio >= CREDIBLE.least && ratio <= CREDIBLE.most;
  return credible ? [...ratios, ratio].slice(-MAX_RATIOS) : ratios;
}

/**
 * What to multiply our counts by for a model: the median of its ratios, within 0.5 and 3.
 * @param fallback the factor while there are fewer than five
 */
export function factorOf(ratios: readonly number[], fallback: number): number {
  if (ratios.length < MIN_RATIOS) return fallback;
  return Math.min(FACTOR.most, Math.max(FACTOR.least, median(ratios)));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return (lower + upper) / 2;
}
