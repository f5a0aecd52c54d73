import { translator } from '#components/i18n.ts';
import { describe, expect, it } from 'vitest';
import { settingIssues, valueProblem } from '#components/settings/form/setting-problems.ts';
import {
  changedNames,
  shownValue,
  withChange,
  withChangeMeanwhile,
  withoutSaved,
} from '#components/settings/form/setting-draft.ts';
import { choiceWords, labelOf } from '#components/settings/form/setting-text.ts';
import { defaultSettings, settingNames, settingsReference } from '#server/context/settings/context-settings';
import type { SettingsReport } from '#server/core/admin/settings-report';
import { ApiError } from '#components/api/api-error.ts';
import english from '#messages/en.json' with { type: 'json' };

const t = translator('settings');

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
  it('holds only values that differ from those in force', () => {
    const one = withChange(report, {}, 'maxSteps', 12);
    expect(one).toEqual({ maxSteps: 12 });
    expect(withChange(report, one, 'maxSteps', 9)).toEqual({});
    expect(withChange(report, one, 'modelWindowOverrides', { 'local/x': 8_000 })).toEqual(one);
    expect(withChange(report, one, 'modelWindowOverrides', {})).toEqual({ ...one, modelWindowOverrides: {} });
    expect(withChange(report, {}, 'maxSteps', null)).toEqual({ maxSteps: null });
    expect(withChange(report, {}, 'toolBulkLimit', null)).toEqual({});
  });

  it('drops a change that another user has saved already', () => {
    expect(changedNames(report, { maxSteps: 9, toolBulkLimit: null, proactiveThreshold: 0.3 })).toEqual([
      'proactiveThreshold',
    ]);
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
    const input = { kind: 'numbers', of: 'model', min: 1_000, max: 2_000, displayUnit: 'thousand-tokens' } as const;
    expect(valueProblem(input, { 'a/b': 1_500 })).toBeNull();
    expect(valueProblem(input, { 'a/b': 1_500, 'c/d': 5 })).toBe('c/d: Enter a number: 1 to 2.');
  });
});

it('has words for every setting and every choice', () => {
  for (const setting of report.reference) {
    expect(labelOf(setting), setting.name).not.toBe(setting.name);
    if (setting.input.kind === 'choice') {
      for (const name of setting.input.names) expect(choiceWords(name), name).not.toBeNull();
    }
    if (setting.input.kind === 'model') expect(t.find(`model.words.${setting.input.word}`)).toBeDefined();
    if (setting.input.kind === 'choices') {
      for (const name of setting.input.names) expect(t.find(`tools.policies.${name}`), name).toBeDefined();
    }
  }
  expect(Object.keys(english.settings.labels).toSorted()).toEqual([...settingNames].toSorted());
  const labels = Object.values(english.settings.labels);
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

describe('settingIssues', () => {
  const refused = (issues: unknown) => new ApiError('invalid_input', 'no', 400, { details: { issues } });
  const clash = {
    path: 'toolMaxOutputChars',
    message: 'must not be above toolOutputLimit, it is a part of it',
    related: 'toolOutputLimit',
  };

  it('puts each problem where the user can correct it', () => {
    expect(settingIssues(refused([clash]), ['toolMaxOutputChars', 'toolOutputLimit'])).toEqual({
      toolMaxOutputChars: 'Must not be above “All outputs of a step”, it is a part of it.',
    });
    expect(settingIssues(refused([clash]), ['toolOutputLimit'])).toEqual({
      toolOutputLimit: '“One output” must not be above “All outputs of a step”, it is a part of it.',
    });
  });

  it('names problems inside a record, also for model ids with dots', () => {
    const issue = { path: 'modelWindowOverrides.a/b-4.1', message: 'must be whole numbers' };
    expect(settingIssues(refused([issue]), ['modelWindowOverrides'])).toEqual({
      modelWindowOverrides: 'a/b-4.1: must be whole numbers.',
    });
  });

  it('ignores other failures', () => {
    expect(settingIssues(new Error('gone'), [])).toEqual({});
    expect(settingIssues(ApiError.network(null), [])).toEqual({});
    expect(settingIssues(refused('nonsense'), [])).toEqual({});
  });
});
