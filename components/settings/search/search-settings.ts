import { translator } from '#components/i18n.ts';
import { choiceWords, labelOf, meaningOf } from '#components/settings/form/setting-text.ts';
import { sectionWords } from '#components/settings/search/section-words.ts';
import {
  pageOfSection,
  sectionId,
  settingId,
  settingsPageNames,
  settingsPages,
  type SettingsPageName,
} from '#components/workspace/settings-pages.ts';
import type { ProcessSetting, SettingReference, SettingsReport } from '#server/core/admin/settings-report';

const t = translator('settings');
const tServer = translator('server');

/** A place in the settings that a search can lead to. */
export interface SettingsPlace {
  readonly page: SettingsPageName;
  /** Id of its element on that page. */
  readonly elementId: string;
  readonly title: string;
  readonly body: string;
}

interface SearchEntry extends SettingsPlace {
  /** What else people call it. */
  readonly keywords: string;
  /** Further text that is searched. */
  readonly text: string;
}

/**
 * Places that contain all words of a query in their name, synonyms or description: those found by name first, then those
 * found by name and synonyms. Empty for an empty query.
 * @param report undefined while it is loading; then only sections are found
 */
export function searchSettings(report: SettingsReport | undefined, query: string): SettingsPlace[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const rankOf = ({ title, keywords, body, text }: SearchEntry) => {
    if (has(title)) return 0;
    if (has(`${title} ${keywords}`)) return 1;
    return has([title, keywords, body, text].join(' ')) ? 2 : null;
  };
  const entries = [
    ...sectionEntries(),
    ...(report?.reference ?? []).flatMap(settingEntry),
    ...(report?.process ?? []).map(variableEntry),
  ];
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .filter(({ rank }) => rank !== null)
    .toSorted((one, other) => Number(one.rank) - Number(other.rank))
    .map(({ entry }) => entry);
}

function sectionEntries(): SearchEntry[] {
  return settingsPageNames.flatMap((page) =>
    settingsPages[page].map((section) => {
      const { title, body } = sectionWords(section);
      const keywords = t.find(`sectionKeywords.${section}`) ?? '';
      return {
        page,
        elementId: sectionId(section),
        title,
        body,
        keywords,
        text: `${t(`pages.${page}.title`)} ${t(`pages.${page}.body`)}`,
      };
    }),
  );
}

/** None for a group that no page shows. */
function settingEntry(setting: SettingReference): SearchEntry[] {
  const { name, group, variable, unit, input } = setting;
  const page = pageOfSection(group);
  if (page === undefined) return [];
  const choices = 'names' in input ? input.names.flatMap((each) => [each, choiceWords(each)?.name ?? '']) : [];
  return [
    {
      page,
      elementId: settingId(name),
      title: labelOf(setting),
      body: meaningOf(setting),
      keywords: t.find(`keywords.${name}`) ?? '',
      text: [name, variable, t(`groups.${group}.title`), tServer.find(`unit.${unit}`) ?? unit, ...choices].join(' '),
    },
  ];
}

function variableEntry({ name, description }: ProcessSetting): SearchEntry {
  const body = tServer.find(`variable.${name}`) ?? description;
  return { page: 'system', elementId: settingId(name), title: name, body, keywords: '', text: '' };
}
