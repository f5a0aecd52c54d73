import { type ContextSettings, defaultSettings } from '#server/context/settings/context-settings';

/** Store of calibrations between starts. */
export interface CalibrationStore {
  /** Newest ratios of every model, oldest first. */
  load(): Promise<ReadonlyMap<string, readonly number[]>>;
  save(modelId: string, ratios: readonly number[]): Promise<void>;
}

/** Told what could not be read or written; a calibration is never worth a failed turn. */
type OnFault = (message: string, error: unknown) => void;

/**
 * How each model's tokens compare with our counts, learned from what its provider reports. In memory, because every
 * step asks; in the store, because a restart should not forget.
 */
export class Calibrations {
  readonly #store: CalibrationStore;
  readonly #onFault: OnFault;
  readonly #settings: () => CalibrationSettings;
  readonly #ratios: Map<string, readonly number[]>;

  private constructor(
    store: CalibrationStore,
    onFault: OnFault,
    settings: () => CalibrationSettings,
    ratios: ReadonlyMap<string, readonly number[]>,
  ) {
    this.#store = store;
    this.#onFault = onFault;
    this.#settings = settings;
    this.#ratios = new Map(ratios);
  }

  /** With what was learned before; with nothing, should the store fail. */
  static async load(
    store: CalibrationStore,
    onFault: OnFault,
    settings: () => CalibrationSettings = () => defaultSettings,
  ): Promise<Calibrations> {
    try {
      return new Calibrations(store, onFault, settings, await store.load());
    } catch (error) {
      onFault('Calibrations cannot be read; starting without', error);
      return new Calibrations(store, onFault, settings, new Map());
    }
  }

  /** Factor of our counts for this model; `fallback` until enough was learned. */
  factor(modelId: string, fallback: number): number {
    return factorOf(this.#ratios.get(modelId) ?? [], fallback, this.#settings());
  }

  /** Takes in one report and stores what was learned; ignores an absurd one. Never throws. */
  async learn(modelId: string, observed: Observation): Promise<void> {
    const known = this.#ratios.get(modelId) ?? [];
    const ratios = calibrate(known, observed, this.#settings());
    if (ratios === known) return;
    this.#ratios.set(modelId, ratios);
    try {
      await this.#store.save(modelId, ratios);
    } catch (error) {
      this.#onFault(`The calibration of ${modelId} cannot be stored`, error);
    }
  }
}

/** Tokens that a provider reported for one request, beside our count of the same. */
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
 * The ratios (reported / counted, oldest first) with one more observation, the newest 20 by default. An absurd report
 * (zero, negative, not a number, above the window, or far from any tokenizer) changes nothing.
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
 * Computes a model's factor of our counts: the median of its ratios, within 0.5 and 3 by default.
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
