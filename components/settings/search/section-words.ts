import { translator } from '#components/i18n.ts';
import type { SettingsSectionName } from '#components/workspace/settings-pages.ts';

/** Title and description of a section of the settings. */
export interface SectionWords {
  readonly title: string;
  readonly body: string;
}

const t = translator('settings');
const sites = translator('sites');
const access = translator('access');
const apiKeys = translator('apiKeys');
const providers = translator('providers');

/** Texts of the sections that are no groups of settings. */
const others = {
  people: () => ({ title: access('people.title'), body: access('people.body') }),
  'personal-data': () => ({ title: access('personalData.title'), body: access('personalData.body') }),
  'api-keys': () => ({ title: apiKeys('title'), body: apiKeys('body') }),
  providers: () => ({ title: providers('title'), body: providers('body') }),
  mail: () => ({ title: t('mail.title'), body: t('mail.body') }),
  standing: () => ({ title: t('standing.title'), body: t('standing.body') }),
  'tool-servers': () => ({ title: t('toolServers.title'), body: t('toolServers.body') }),
  site: () => ({ title: sites('title'), body: sites('body') }),
  version: () => ({ title: t('version.title'), body: t('version.body') }),
  logs: () => ({ title: t('logs.title'), body: t('logs.body') }),
  backup: () => ({ title: t('backup.title'), body: t('backup.body') }),
  process: () => ({ title: t('process.title'), body: t('process.body') }),
} satisfies Partial<Record<SettingsSectionName, () => SectionWords>>;

/** Title and description of a section, in the current language. */
export function sectionWords(section: SettingsSectionName): SectionWords {
  if (section in others) return others[section as keyof typeof others]();
  const group = section as GroupSection;
  return { title: t(`groups.${group}.title`), body: t(`groups.${group}.body`) };
}

type GroupSection = Exclude<SettingsSectionName, keyof typeof others>;
