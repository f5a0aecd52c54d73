import { describe, expect, it } from 'vitest';
import { searchSettings } from '#components/settings/search/search-settings.ts';
import { pageOfSection, settingsPages } from '#components/workspace/settings-pages.ts';
import { defaultSettings, settingNames, settingsReference } from '#server/context/settings/context-settings';
import type { SettingsReport } from '#server/core/admin/settings-report';
import { processReference } from '#server/platform/config/env';
import english from '#messages/en.json' with { type: 'json' };

const report: SettingsReport = {
  values: defaultSettings,
  base: defaultSettings,
  sources: Object.fromEntries(settingNames.map((name) => [name, 'default'])),
  reference: settingsReference(),
  tools: [],
  providers: [],
  process: processReference().map((setting) => ({ ...setting, isSecret: false, isSet: false, value: null })),
};

const find = (query: string) => searchSettings(report, query).map(({ elementId }) => elementId);

describe('the search over all settings', () => {
  it('finds a setting by label, effect, environment variable, group and choice', () => {
    expect(find('newest OUTPUTS')).toContain('setting-pruneProtect');
    expect(find('CONTEXT_PRUNE_PROTECT')).toEqual(['setting-pruneProtect']);
    expect(find('ledger')).toContain('setting-strategy');
    expect(find('pruning')).toContain('setting-minTurnsToKeep');
    expect(find('SMTP_URL')).toContain('setting-SMTP_URL');
  });

  it('finds nothing for an empty query or for words that nothing contains', () => {
    expect(find('  ')).toEqual([]);
    expect(find('there is no such thing')).toEqual([]);
  });

  it('lists matches of the name before matches of synonyms and descriptions', () => {
    const found = searchSettings(report, 'budget').map(({ title }) => title.toLowerCase().includes('budget'));
    expect(found[0]).toBe(true);
    expect(found.slice(found.indexOf(false))).not.toContain(true);
  });
});

it('every group of settings is on a page, and every setting has synonyms', () => {
  for (const { group } of report.reference) expect(pageOfSection(group), group).toBeDefined();
  expect(Object.keys(english.settings.keywords).toSorted()).toEqual([...settingNames].toSorted());
  expect(Object.keys(english.settings.pages).toSorted()).toEqual(Object.keys(settingsPages).toSorted());
});
