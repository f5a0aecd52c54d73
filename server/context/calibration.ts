import type { Observation, RequestCount } from '#server/context/current-tokens';
import type { CalibrationStore } from '#server/context/ports';
import { defaultSettings, type EngineSettings } from '#server/context/settings/context-settings';

/* The factor between a model's tokens and our counts, learned from the usage that its provider reports. */

/** Ratios of each model's reported tokens to our counts. Kept in memory, because every step reads them. */
export interface Calibrations {
  /** Factor of our counts for this model; `fallback` until enough reports were seen. */
  factor(modelId: string, fallback: number): number;
  /** Takes one report into account and stores the result. Ignores absurd reports. Never throws. */
  learn(modelId: string, observed: Observation): Promise<void>;
  /** Replaces what earlier reports have shown by an exact count of the next request, and stores it. Never throws. */
  learnExact(modelId: string, exact: RequestCount): Promise<void>;
  /** Takes note of a request that the model accepted, in tokens on the safe side; kept in memory. */
  accept(modelId: string, tokens: number): void;
  /** The largest request that the model accepted since the start of the process; 0: none. */
  largestAccepted(modelId: string): number;
}

/** Loads stored calibrations. Failures of the store are reported to `onFault` and never fail a turn. */
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
  const accepted = new Map<string, number>();
  async function save(modelId: string, ratios: readonly number[]): Promise<void> {
    learned.set(modelId, ratios);
    const failed = (error: unknown) => onFault(`The calibration of ${modelId} cannot be stored`, error);
    await store.save(modelId, ratios).catch(failed);
  }
  return {
    accept: (modelId, tokens) => void accepted.set(modelId, Math.max(tokens, accepted.get(modelId) ?? 0)),
    largestAccepted: (modelId) => accepted.get(modelId) ?? 0,
    factor: (modelId, fallback) => factorOf(learned.get(modelId) ?? [], fallback, settings()),
    async learn(modelId, observed) {
      const known = learned.get(modelId) ?? [];
      const ratios = calibrate(known, observed, settings());
      if (ratios !== known) await save(modelId, ratios);
    },
    async learnExact(modelId, { reported, counted }) {
      // As many equal ratios as are needed for a factor.
      if (reported > 0 && counted > 0)
        await save(modelId, Array<number>(settings().calibrationMinReports).fill(reported / counted));
    },
  };
}

/** Appends a ratio (reported / counted) to the newest ratios, oldest first. An absurd report changes nothing. */
export function calibrate(
  ratios: readonly number[],
  { reported, counted, contextWindow }: Observation,
  { calibrationReports, calibrationCredible }: EngineSettings = defaultSettings,
): readonly number[] {
  const ratio = reported / counted;
  // Otherwise the report is wrong, for example without cache tokens or summed over several requests.
  const isPossible = reported > 0 && counted > 0 && reported <= contextWindow;
  const isNear = ratio >= 1 / calibrationCredible && ratio <= calibrationCredible;
  return isPossible && isNear ? [...ratios, ratio].slice(-calibrationReports) : ratios;
}

/** The factor of a model: the median of its ratios within bounds, or the fallback while there are too few. */
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
