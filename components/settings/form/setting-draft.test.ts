import { translator } from '#components/i18n.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refusalOfSettings, settingIssues, valueProblem } from '#components/settings/form/setting-problems.ts';
import {
  changedNames,
  draftProblems,
  shownValue,
  withChange,
  withChangeMeanwhile,
  withoutSaved,
} from '#components/settings/form/setting-draft.ts';
import { choiceWords, labelOf, withLabels } from '#components/settings/form/setting-text.ts';
import { defaultSettings, settingNames, settingsReference } from '#server/context/settings/context-settings';
import type { SettingsReport } from '#server/core/admin/settings-report';
import { setLanguage } from '#components/language.ts';
import { loadLanguage } from '#components/load-language.ts';
import { refusalText } from '#components/message-text.ts';
import type { InvalidInputError } from '#server/core/errors';
import type { JsonValue } from '#server/core/json';
import { checkChanges } from '#server/settings/check-settings';
import { ApiError } from '#components/api/api-error.ts';
import { isShownCollapsed } from '#components/settings/form/settings-group';
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
  it('shows changed values and the result of a reset', () => {
    expect(shownValue(report, {}, 'maxSteps')).toBe(9);
    expect(shownValue(report, { maxSteps: 12 }, 'maxSteps')).toBe(12);
    expect(shownValue(report, { maxSteps: null }, 'maxSteps')).toBe(20);
    expect(shownValue(report, { autoCompact: false }, 'autoCompact')).toBe(false);
  });

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

  it('names the problem of each change', () => {
    expect(
      draftProblems(report, { maxSteps: 0, proactiveThreshold: '', pruneProtect: 4, defaultModel: 'a b' }),
    ).toEqual({
      maxSteps: 'Enter a whole number: 1 to 1,000.',
      proactiveThreshold: 'Enter a number: 10 to 95.',
      defaultModel: 'Remove the spaces: a model id has none.',
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

const reference = settingsReference();
const of = (name: string) => reference.find((setting) => setting.name === name)!;
const listed: SettingsReport = {
  values: defaultSettings,
  base: defaultSettings,
  sources: Object.fromEntries(settingNames.map((name) => [name, 'default'])),
  reference,
  tools: [],
  providers: [],
  process: [],
};

describe('withLabels', () => {
  it('speaks of settings and their words as the page does', () => {
    expect(withLabels('must be below toolOutputLimit, else')).toBe('must be below “All outputs of a step”, else');
    expect(withLabels('the model; `__same__` is')).toBe('the model; “Same as the conversation’s” is');
    expect(withLabels('LM Studio, OpenRouter and `x`')).toBe('LM Studio, OpenRouter and `x`');
  });

  it('leaves no name of a setting in what any setting means', () => {
    for (const { meaning } of reference) expect(withLabels(meaning)).not.toMatch(/\b[a-z]+[A-Z]|__/);
  });
});

describe('the layout', () => {
  it('shows important, strategy-relevant and changed settings while a group is folded', () => {
    const shown = (name: string, changes: Partial<SettingsReport> = {}, changed: string[] = []) =>
      isShownCollapsed({ ...listed, ...changes }, of(name), 'pruning-agent', changed);
    expect(shown('maxSteps')).toBe(true);
    expect(shown('middleRemovalThreshold')).toBe(false);
    expect(shown('middleRemovalThreshold', { sources: { ...listed.sources, middleRemovalThreshold: 'env' } })).toBe(
      true,
    );
    expect(shown('middleRemovalThreshold', {}, ['middleRemovalThreshold'])).toBe(true);
    expect(shown('pruningAgentModel')).toBe(true);
    expect(shown('proactiveThreshold')).toBe(false);
  });
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

  it('shows in German what the server refuses', async () => {
    setLanguage(await loadLanguage('de'));
    onTestFinished(async () => setLanguage(await loadLanguage('en')));
    const refusalOf = (changes: Readonly<Record<string, JsonValue>>) => {
      const rules = { base: defaultSettings, isServed: () => false };
      try {
        checkChanges(rules, new Map(), new Map(Object.entries(changes)));
      } catch (error) {
        return error as InvalidInputError;
      }
      throw new Error('The changes were accepted.');
    };
    const changes = {
      maxSteps: 0,
    };
    const { text, details } = refusalOf(changes);
    expect(settingIssues(new ApiError('invalid_input', 'no', 400, { details }), Object.keys(changes))).toEqual({
      maxSteps: 'Muss eine ganze Zahl von 1 bis 1.000 sein.',
    });
    const refusal = new ApiError('invalid_input', refusalText(text, text.text), 400);
    expect(refusalOfSettings(refusal)).toMatch(
      /^Diese Einstellungen sind nicht möglich: „Schritte pro Auftrag“ muss eine ganze Zahl/,
    );
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
