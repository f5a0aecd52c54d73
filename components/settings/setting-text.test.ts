import { describe, expect, it } from 'vitest';
import { ApiError } from '#components/api/api-error';
import { defaultText, matchingSettings, reading, settingIssues, withLabels } from '#components/settings/setting-draft';
import { inOrder, isShownFolded } from '#components/settings/settings-group';
import { defaultSettings, settingNames, settingsReference } from '#server/context/settings/context-settings';
import type { SettingsReport } from '#server/core/settings-report';

const reference = settingsReference();
const of = (name: string) => reference.find((setting) => setting.name === name)!;
const report: SettingsReport = {
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

describe('reading', () => {
  it.each([
    ['proactiveThreshold', 0.85, '85 %'],
    ['pruningAgentThreshold', 0.3333, '33.33 %'],
    ['turnTimeLimitMs', 900_000, '15 min'],
    ['toolTimeoutMs', 500, null],
    ['pruneProtect', 40_000, '40,000'],
    ['maxSteps', 50, null],
    ['maxSteps', '', null],
  ])('of %s %s is %s', (name, value, text) => {
    expect(reading(of(name), value)).toBe(text);
  });
});

describe('defaultText', () => {
  it.each([
    ['pruneProtect', 'default 40,000'],
    ['autoCompact', 'default On'],
    ['compactionModel', 'default Same as the conversation’s'],
    ['strategy', 'default Summary on overflow'],
    ['toolPolicies', 'default none'],
  ])('of %s is %s', (name, text) => {
    expect(defaultText(of(name))).toBe(text);
  });
});

describe('matchingSettings', () => {
  const find = (query: string) => matchingSettings(report, query).map(({ name }) => name);

  it('finds by label, effect, variable, group and choice', () => {
    expect(find('')).toHaveLength(reference.length);
    expect(find('newest OUTPUTS')).toContain('pruneProtect');
    expect(find('CONTEXT_PRUNE_PROTECT')).toEqual(['pruneProtect']);
    expect(find('ledger')).toContain('strategy');
    expect(find('pruning')).toContain('minTurnsToKeep');
    expect(find('there is no such thing')).toEqual([]);
  });
});

describe('the layout', () => {
  it('shows while folded what matters most, what the strategy goes by, and what is not as it comes', () => {
    const shown = (name: string, changes: Partial<SettingsReport> = {}, changed: string[] = []) =>
      isShownFolded({ ...report, ...changes }, of(name), 'pruning-agent', changed);
    expect(shown('maxSteps')).toBe(true);
    expect(shown('middleRemovalThreshold')).toBe(false);
    expect(shown('middleRemovalThreshold', { sources: { ...report.sources, middleRemovalThreshold: 'env' } })).toBe(
      true,
    );
    expect(shown('middleRemovalThreshold', {}, ['middleRemovalThreshold'])).toBe(true);
    expect(shown('pruningAgentModel')).toBe(true);
    expect(shown('proactiveThreshold')).toBe(false);
  });

  it('puts what matters most first, and loses nothing', () => {
    const strategies = reference.filter(({ group }) => group === 'strategies');
    const ordered = inOrder(strategies);
    expect(ordered.slice(0, 3).map(({ name }) => name)).toEqual(['strategy', 'autoCompact', 'backgroundSummaries']);
    expect(ordered).toHaveLength(strategies.length);
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

  it('says what is wrong inside a record, model ids with dots too', () => {
    const issue = { path: 'modelWindowOverrides.a/b-4.1', message: 'must be whole numbers' };
    expect(settingIssues(refused([issue]), ['modelWindowOverrides'])).toEqual({
      modelWindowOverrides: 'a/b-4.1: must be whole numbers.',
    });
  });

  it('knows nothing of other failures', () => {
    expect(settingIssues(new Error('gone'), [])).toEqual({});
    expect(settingIssues(ApiError.network(null), [])).toEqual({});
    expect(settingIssues(refused('nonsense'), [])).toEqual({});
  });
});
