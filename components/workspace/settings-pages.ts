import { ADMIN_SETTINGS_PATH } from '#components/workspace/navigation.ts';

/**
 * The pages of the settings and the sections of each, in display order. A section that is named like a group of settings
 * (`SettingGroup`) has the fields of that group.
 */
export const settingsPages = {
  people: ['people', 'personal-data'],
  'api-keys': ['api-keys'],
  models: ['models', 'providers', 'programs', 'budgets'],
  mail: ['mail'],
  assistant: ['standing', 'tools', 'strategies', 'limits', 'steps', 'pruning'],
  'tool-servers': ['tool-servers', 'definitions'],
  site: ['site', 'visitors'],
  system: ['version', 'logs', 'backup', 'process'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A page of the settings, as in its address. */
export type SettingsPageName = keyof typeof settingsPages;
/** A section of a page of the settings. */
export type SettingsSectionName = (typeof settingsPages)[SettingsPageName][number];

/** Names of all pages, in display order. */
export const settingsPageNames = Object.keys(settingsPages) as SettingsPageName[];

/** True for the name of a page of the settings. */
export const isSettingsPage = (name: string): name is SettingsPageName => Object.hasOwn(settingsPages, name);

/** The page that has a section; undefined for an unknown section. */
export function pageOfSection(section: string): SettingsPageName | undefined {
  return settingsPageNames.find((page) => settingsPages[page].some((each) => each === section));
}

/** Prefix of the element ids of sections. */
const SECTION_PREFIX = 'settings-';

/** Element id of a section of the settings. */
export const sectionId = (section: string) => `${SECTION_PREFIX}${section}`;

/** Element id of the row of a setting, or of an environment variable. */
export const settingId = (name: string) => `setting-${name}`;

/** Address of a page of the settings, or of an element on it. */
export function settingsPagePath(page: SettingsPageName, elementId?: string): string {
  return `${ADMIN_SETTINGS_PATH}/${page}${elementId === undefined ? '' : `#${elementId}`}`;
}

/** Address of a section of the settings. */
export function settingsSectionPath(section: SettingsSectionName): string {
  return settingsPagePath(pageOfSection(section)!, sectionId(section));
}

/**
 * The present address of an anchor of the time when all settings were on one page (`#settings-people`); null if it is
 * none.
 */
export function formerSettingsPath(hash: string): string | null {
  const id = hash.replace(/^#/, '');
  const page = id.startsWith(SECTION_PREFIX) ? pageOfSection(id.slice(SECTION_PREFIX.length)) : undefined;
  return page === undefined ? null : settingsPagePath(page, id);
}
