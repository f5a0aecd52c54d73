import { expect, it } from 'vitest';
import { formerSettingsPath, settingsSectionPath } from '#components/workspace/settings-pages.ts';

it.each([
  ['#settings-people', '/admin/settings/people#settings-people'],
  ['#settings-budgets', '/admin/settings/models#settings-budgets'],
  ['#settings-process', '/admin/settings/system#settings-process'],
  ['#settings-nowhere', null],
  ['#main', null],
  ['', null],
])('leads the former anchor %s to %s', (hash, path) => {
  expect(formerSettingsPath(hash)).toBe(path);
});

it('names the page of a section', () => {
  expect(settingsSectionPath('providers')).toBe('/admin/settings/models#settings-providers');
});
