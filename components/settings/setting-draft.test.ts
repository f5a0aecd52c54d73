import { wordOf } from '#components/in-your-language';
import { describe, expect, it } from 'vitest';
import {
  changedNames,
  draftProblems,
  labelOf,
  shownValue,
  stepOf,
  valueProblem,
  withChange,
  withChangeMeanwhile,
  withoutSaved,
} from '#components/settings/setting-draft';
import { choiceWords, settingsStrings } from '#components/settings/words';
import { defaultSettings, settingNames, settingsReference } from '#server/context/settings/context-settings';
import type { SettingsReport } from '#server/core/settings-report';

const report: SettingsReport = {
  values: { ...defaultSettings, maxSteps: 9, modelWindowOverrides: { 'local/x': 8_000 } },
  base: { ...defaultSettings, maxSteps: 20 },
  sources: {
    ...Object.fromEntries(settingNames.map((name) => [name, 'default' as const])),
    maxSteps: 'stored',
    modelWindowOverrides: 'stored',
  },
  reference: settingsReference(),
  tools: [],
  providers: [],
  process: [],
};

describe('a draft', () => {
  it('shows what is changed, and what a reset goes back to', () => {
    expect(shownValue(report, {}, 'maxSteps')).toBe(9);
    expect(shownValue(report, { maxSteps: 12 }, 'maxSteps')).toBe(12);
    expect(shownValue(report, { maxSteps: null }, 'maxSteps')).toBe(20);
    expect(shownValue(report, { autoCompact: false }, 'autoCompact')).toBe(false);
  });

  it('holds only what differs from what is in force', () => {
    const one = withChange(report, {}, 'maxSteps', 12);
    expect(one).toEqual({ maxSteps: 12 });
    expect(withChange(report, one, 'maxSteps', 9)).toEqual({});
    expect(withChange(report, one, 'modelWindowOverrides', { 'local/x': 8_000 })).toEqual(one);
    expect(withChange(report, one, 'modelWindowOverrides', {})).toEqual({ ...one, modelWindowOverrides: {} });
    expect(withChange(report, {}, 'maxSteps', null)).toEqual({ maxSteps: null });
    expect(withChange(report, {}, 'toolBulkLimit', null)).toEqual({});
  });

  it('forgets a change that somebody else has saved meanwhile', () => {
    expect(changedNames(report, { maxSteps: 9, toolBulkLimit: null, proactiveThreshold: 0.3 })).toEqual([
      'proactiveThreshold',
    ]);
  });

  it('says what is wrong with each change', () => {
    expect(
      draftProblems(report, { maxSteps: 0, proactiveThreshold: '', pruneProtect: 4, defaultModel: 'a b' }),
    ).toEqual({
      maxSteps: 'Must be a whole number from 1 to 1,000.',
      proactiveThreshold: 'Must be a number from 0.1 to 0.95.',
      defaultModel: 'A model id has no spaces.',
    });
  });
});

describe('valueProblem', () => {
  it('agrees with the server about every number', () => {
    for (const { input, name } of report.reference) {
      if (input.kind !== 'number') continue;
      expect(valueProblem(input, defaultSettings[name as 'maxSteps']), name).toBeNull();
      for (const wrong of [input.min - 1, input.max + 1, '', Number.NaN]) {
        expect(valueProblem(input, wrong), `${name} ${wrong}`).not.toBeNull();
      }
    }
  });

  it('names what is wrong inside a record', () => {
    const input = { kind: 'numbers', of: 'model', min: 1_000, max: 2_000 } as const;
    expect(valueProblem(input, { 'a/b': 1_500 })).toBeNull();
    expect(valueProblem(input, { 'a/b': 1_500, 'c/d': 5 })).toBe('c/d: Must be a whole number from 1,000 to 2,000.');
  });
});

describe('stepOf', () => {
  it.each([
    [40_000, true, 1_000],
    [50, true, 1],
    [3, true, 1],
    [0, true, 1],
    [0.85, false, 0.01],
  ])('moves %d by a digit or two (whole: %s): %d', (value, whole, step) => {
    expect(stepOf({ min: 0, max: 1, whole }, value)).toBe(step);
  });
});

it('has words for every setting and every choice', () => {
  for (const setting of report.reference) {
    expect(labelOf(setting), setting.name).not.toBe(setting.name);
    if (setting.input.kind === 'choice') {
      for (const name of setting.input.names) expect(choiceWords(name), name).not.toBeNull();
    }
    if (setting.input.kind === 'model') expect(wordOf(settingsStrings.model.words, setting.input.word)).toBeDefined();
    if (setting.input.kind === 'choices') {
      for (const name of setting.input.names) expect(wordOf(settingsStrings.tools.policies, name), name).toBeDefined();
    }
  }
  expect(Object.keys(settingsStrings.labels).toSorted()).toEqual([...settingNames].toSorted());
  const labels = Object.values(settingsStrings.labels);
  expect(new Set(labels).size).toBe(labels.length);
});

it('keeps what is changed while the rest is saved', () => {
  const sent = { maxSteps: 12, pruneOutputsOver: 300 };
  expect(withoutSaved({ ...sent, maxSteps: 13, strategy: 'ledger' }, sent)).toEqual({
    maxSteps: 13,
    strategy: 'ledger',
  });
});

it('keeps a change back to what was in force before the saving', () => {
  const sent = { maxSteps: 12, toolBulkLimit: 500 };
  const saved: SettingsReport = {
    ...report,
    values: { ...report.values, ...sent },
    sources: { ...report.sources, toolBulkLimit: 'stored' },
  };
  const typedBack = withChangeMeanwhile(report, sent, 'maxSteps', 9);
  const takenBack = withChangeMeanwhile(report, typedBack, 'toolBulkLimit', undefined);
  expect(changedNames(report, takenBack)).toEqual([]);
  const left = withoutSaved(takenBack, sent);
  expect(changedNames(saved, left)).toEqual(['maxSteps', 'toolBulkLimit']);
  expect(shownValue(saved, left, 'maxSteps')).toBe(9);
  expect(shownValue(saved, left, 'toolBulkLimit')).toBe(report.base['toolBulkLimit']);
});
