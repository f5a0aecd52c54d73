import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';

export interface CalibrationStore {
  /** Newest ratios of every model, oldest first. */
  load(): Promise<ReadonlyMap<string, readonly number[]>>;
  save(modelId: string, ratios: readonly number[]): Promise<void>;
}

/** Ratios of each model's tokens to our counts, by its provider's reports. In memory, as every step asks. */
export interface Calibrations {
  /** Factor of our counts for this model; `fallback` until enough was learned. */
  factor(modelId: string, fallback: number): number;
  /** Takes in one report and stores what was learned; ignores an absurd one. Never throws. */
  learn(modelId: string, observed: Observation): Promise<void>;
}

/** Reads what was learned before. A store that fails is told to `onFault`: it is never worth a failed turn. */
export async function loadCalibrations(
  store: CalibrationStore,
  onFault: (message: string, error: unknown) => void,
  settings: () => EngineSettings = () => defaultSettings,
): Promise<Calibrations> {
  const learned = new Map<string, readonly number[]>(
    await store.load().catch((error: unknown) => {
      onFault('Calibrations cannot be read; starting without', error);
      return [];
    }),
  );
  return {
    factor: (modelId, fallback) => factorOf(learned.get(modelId) ?? [], fallback, settings()),
    async learn(modelId, observed) {
      const known = learned.get(modelId) ?? [];
      const ratios = calibrate(known, observed, settings());
      if (ratios === known) return;
      learned.set(modelId, ratios);
      const failed = (error: unknown) => onFault(`The calibration of ${modelId} cannot be stored`, error);
      await store.save(modelId, ratios).catch(failed);
    },
  };
}

/** Tokens that a provider reported for one request, beside our count of the same. */
export interface Observation {
  /** Input tokens as reported, cache reads and writes included, media left out. */
  readonly reported: number;
  /** The same request in our vocabulary, before any factor. */
  readonly counted: number;
  readonly contextWindow: number;
}

/** The newest ratios (reported / counted), oldest first, with one more; an absurd report changes nothing. */
export function calibrate(
  ratios: readonly number[],
  { reported, counted, contextWindow }: Observation,
  { calibrationReports, calibrationCredible }: EngineSettings = defaultSettings,
): readonly number[] {
  const ratio = reported / counted;
  // Else the report is broken: a cache left out, several requests summed.
  const isPossible = reported > 0 && counted > 0 && reported <= contextWindow;
  const isNear = ratio >= 1 / calibrationCredible && ratio <= calibrationCredible;
  return isPossible && isNear ? [...ratios, ratio].slice(-calibrationReports) : ratios;
}

/** A model's factor of our counts: the median of its ratios, bounded; the fallback while there are too few. */
export function factorOf(
  ratios: readonly number[],
  fallback: number,
  { calibrationMinReports, calibrationMinFactor, calibrationMaxFactor }: EngineSettings = defaultSettings,
): number {
  if (ratios.length < calibrationMinReports) return fallback;
  const sorted = ratios.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 1;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper;
  return Math.min(calibrationMaxFactor, Math.max(calibrationMinFactor, (lower + upper) / 2));
}
