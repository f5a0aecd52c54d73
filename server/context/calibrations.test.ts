import { describe, expect, it } from 'vitest';
import { defaultSettings } from '#server/context/settings/context-settings';
import { loadCalibrations } from '#server/context/current-tokens';
import type { CalibrationStore } from '#server/context/ports';

const MODEL = 'anthropic/claude-sonnet-4.5';
const report = { reported: 1_220, counted: 1_000, contextWindow: 200_000 };

describe('loadCalibrations', () => {
  it('uses the fallback, then what it learned, for each model apart', async () => {
    const calibrations = await loadCalibrations(memoryStore(), noFaults);
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.1);
    for (let step = 0; step < 5; step += 1) await calibrations.learn(MODEL, report);
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.22);
    expect(calibrations.factor('openai/gpt-5.5', 1)).toBe(1);
  });

  it('goes by the settings, also when they change', async () => {
    let settings = { ...defaultSettings, calibrationMinReports: 2 };
    const calibrations = await loadCalibrations(memoryStore(), noFaults, () => settings);
    for (const reported of [1_220, 1_220, 900]) await calibrations.learn(MODEL, { ...report, reported });
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.22);
    settings = { ...settings, calibrationMaxFactor: 1.15 };
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.15);
    settings = { ...settings, calibrationReports: 2, calibrationCredible: 1.5 };
    await calibrations.learn(MODEL, { ...report, reported: 900 });
    await calibrations.learn(MODEL, { ...report, reported: 1_600 });
    expect(calibrations.factor(MODEL, 1.1)).toBe(0.9);
  });

  it('remembers after a restart', async () => {
    const store = memoryStore();
    const before = await loadCalibrations(store, noFaults);
    for (let step = 0; step < 5; step += 1) await before.learn(MODEL, report);
    const after = await loadCalibrations(store, noFaults);
    expect(after.factor(MODEL, 1.1)).toBe(1.22);
  });

  it('neither learns nor stores an absurd report', async () => {
    const store = memoryStore();
    const calibrations = await loadCalibrations(store, noFaults);
    await calibrations.learn(MODEL, { ...report, reported: 0 });
    expect(store.saved.size).toBe(0);
  });

  it('goes on in memory when the store fails, and says so', async () => {
    const faults: string[] = [];
    const broken: CalibrationStore = {
      load: () => Promise.reject(new Error('unreadable')),
      save: () => Promise.reject(new Error('disk full')),
    };
    const calibrations = await loadCalibrations(broken, (message) => faults.push(message));
    for (let step = 0; step < 5; step += 1) await calibrations.learn(MODEL, report);
    expect(calibrations.factor(MODEL, 1.1)).toBe(1.22);
    expect(faults).toHaveLength(6);
  });
});

function memoryStore() {
  const saved = new Map<string, readonly number[]>();
  return {
    saved,
    load: async () => new Map(saved),
    save: async (modelId: string, ratios: readonly number[]) => {
      saved.set(modelId, ratios);
    },
  } satisfies CalibrationStore & { saved: Map<string, readonly number[]> };
}

function noFaults(message: string, error: unknown): never {
  throw new Error(message, { cause: error });
}
