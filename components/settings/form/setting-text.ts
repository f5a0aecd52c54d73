import { translator } from '#components/i18n.ts';
import { shownNumber, unitName } from '#components/settings/form/number-text.ts';
import type { SettingReference } from '#server/core/admin/settings-report';

const tStrategies = translator('strategies');
const t = translator('settings');
const tServer = translator('server');

/** Displayed name of a setting. */
export function labelOf({ name }: SettingReference): string {
  return t.find(`labels.${name}`) ?? name;
}

/** Replaces setting names in the server's texts by their labels: `outputReserve` becomes “Reserve for the answer”. */
export function withLabels(text: string): string {
  return text
    .replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (name) => {
      const label = t.find(`labels.${name}`);
      return label === undefined ? name : t('quoted', { label });
    })
    .replaceAll(/`(__\w+__)`/g, (quoted, word: string) => {
      const label = t.find(`model.words.${word}`);
      return label === undefined ? quoted : t('quoted', { label });
    });
}

/** Displayed description of a setting. */
export function meaningOf({ name, meaning }: Pick<SettingReference, 'name' | 'meaning'>): string {
  return withLabels(tServer.find(`setting.${name}`) ?? meaning);
}

/** Displayed text about the default value of a setting. */
export function defaultText({ input, unit: unitOfServer, default: text }: SettingReference): string {
  if (text === '') return t('noDefault');
  if (input.kind === 'toggle') return t('defaultIs', { value: text === 'true' ? t('on') : t('off') });
  if (input.kind === 'number') {
    const { displayUnit } = input;
    const unit = unitName(displayUnit, displayUnit === 'percent' ? '' : unitOfServer);
    return t('defaultIs', { value: `${shownNumber(displayUnit, Number(text))} ${unit}`.trim() });
  }
  return t('defaultIs', { value: t.find(`model.words.${text}`) ?? choiceWords(text)?.name ?? text });
}

/** Texts for a value of a choice; null for a value without texts. */
export function choiceWords(name: string): { readonly name: string; readonly effect: string } | null {
  const label = tStrategies.find(`${name}.name`) ?? t.find(`choices.${name}.name`);
  const effect = tStrategies.find(`${name}.effect`) ?? t.find(`choices.${name}.effect`);
  return label === undefined || effect === undefined ? null : { name: label, effect };
}
