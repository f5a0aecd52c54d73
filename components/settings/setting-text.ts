import { wordOf } from '#components/in-your-language.ts';
import { choiceWords, settingsStrings } from '#components/settings/words.ts';
import type { SettingReference, SettingsReport, SettingValue } from '#server/core/admin/settings-report';
import { inYourWords, served } from '#components/served-words.ts';
import { duration } from '#components/ui/times.ts';
import { number } from '#components/format.ts';

/** Displayed name of a setting. */
export function labelOf({ name }: SettingReference): string {
  return wordOf(settingsStrings.labels, name) ?? name;
}

/** Replaces setting names in the server's texts by their labels: `outputReserve` becomes “Reserve for the answer”. */
export function withLabels(text: string): string {
  return text
    .replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (name) => {
      const label = wordOf(settingsStrings.labels, name);
      return label === undefined ? name : settingsStrings.quoted(label);
    })
    .replaceAll(/`(__\w+__)`/g, (quoted, word: string) => {
      const label = wordOf(settingsStrings.model.words, word);
      return label === undefined ? quoted : settingsStrings.quoted(label);
    });
}

/** Displayed description of a setting. */
export function meaningOf({ name, meaning }: Pick<SettingReference, 'name' | 'meaning'>): string {
  return withLabels(served()?.settings[name] ?? meaning);
}

/**
 * A number as people would say it: milliseconds as a duration, a share as a percentage, a large number with separators.
 * Null if the number is clear as it is.
 */
export function readableNumber({ unit, input }: SettingReference, value: SettingValue): string | null {
  if (typeof value !== 'number' || input.kind !== 'number') return null;
  if (unit === 'milliseconds') return value < 1_000 ? null : duration(value);
  if (!input.whole && unit.startsWith('of ')) return settingsStrings.percent(value);
  return input.whole && value >= 10_000 ? number.format(value) : null;
}

/** Displayed text about the default value of a setting. */
export function defaultText({ input, default: text }: SettingReference): string {
  if (text === '') return settingsStrings.noDefault;
  if (input.kind === 'toggle')
    return settingsStrings.defaultIs(text === 'true' ? settingsStrings.on : settingsStrings.off);
  if (input.kind === 'number') return settingsStrings.defaultIs(number.format(Number(text)));
  return settingsStrings.defaultIs(wordOf(settingsStrings.model.words, text) ?? choiceWords(text)?.name ?? text);
}

/** The settings with all words of the query in their name, label, variable, description or group. */
export function matchingSettings(report: SettingsReport, query: string): SettingReference[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return report.reference.filter((setting) => {
    const { name, variable, group, unit } = setting;
    const { title } = settingsStrings.groups[group];
    const options = 'names' in setting.input ? setting.input.names : [];
    const choices = options.flatMap((option) => [option, choiceWords(option)?.name ?? '']);
    const text = [
      name,
      wordOf(settingsStrings.labels, name),
      variable,
      meaningOf(setting),
      title,
      inYourWords(unit),
      ...choices,
    ].join(' ');
    return words.every((word) => text.toLowerCase().includes(word));
  });
}
