import { wordOf } from '#components/in-your-language';
import { choiceWords, settingsStrings } from '#components/settings/words';
import type { SettingReference, SettingsReport, SettingValue } from '#server/core/settings-report';
import { inYourWords, served } from '#components/served-words';
import { duration } from '#components/ui/times';
import { number } from '#components/figures';

/** The setting's name as a person knows it. */
export function labelOf({ name }: Pick<SettingReference, 'name'>): string {
  return wordOf(settingsStrings.labels, name) ?? name;
}

/** Replaces names of settings in the server's texts by their labels: `outputReserve` becomes “Reserve for the answer”. */
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

/** The meaning of a setting. */
export function meaningOf({ name, meaning }: Pick<SettingReference, 'name' | 'meaning'>): string {
  return withLabels(served()?.settings[name] ?? meaning);
}

/** A number in plain words where its unit is not obvious; null: nothing to add. */
export function reading({ unit, input }: SettingReference, value: SettingValue): string | null {
  if (typeof value !== 'number' || input.kind !== 'number') return null;
  if (unit === 'milliseconds') return value < 1_000 ? null : duration(value);
  if (!input.whole && unit.startsWith('of ')) return settingsStrings.percent(value);
  return input.whole && value >= 10_000 ? number.format(value) : null;
}

/** A default as it stands on the page. */
export function defaultText({ input, default: text }: SettingReference): string {
  if (text === '') return settingsStrings.noDefault;
  if (input.kind === 'toggle')
    return settingsStrings.defaultIs(text === 'true' ? settingsStrings.on : settingsStrings.off);
  if (input.kind === 'number') return settingsStrings.defaultIs(number.format(Number(text)));
  return settingsStrings.defaultIs(wordOf(settingsStrings.model.words, text) ?? choiceWords(text)?.name ?? text);
}

/** A settings report with only what has all words of the query in its name, label, variable, meaning or group. */
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
