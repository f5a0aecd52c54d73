import { type CalibrationSettings, type Observation, calibrate, factorOf } from '#server/context/counting/calibration';
import { defaultSettings } from '#server/context/context-settings';

/** Where calibrations are kept between starts. */
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

  /** What to multiply our counts by for this model; `fallback` until enough was learned. */
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
