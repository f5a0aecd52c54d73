import { translator } from '#components/i18n.ts';

/**
 * Requests that the basic assistant understands; in English in every language, as it knows no other. The last two are
 * about the content that `examplesNeed` names.
 */
export const basicSentences = [
  'Create a page called Pricing',
  'List the pages',
  'Change the heading on Home to “Made by hand, made to last”',
  'Find posts about glaze',
] as const;

/** Words in titles of the demo site without which an example is not shown; empty: it works on every site. */
export const examplesNeed: readonly (readonly string[])[] = [[], [], ['home', 'glaze'], ['glaze']];

const t = translator('start');

/** Example requests, in the order of `examplesNeed`. */
export function suggestions(): readonly string[] {
  return [t('suggestions.create'), t('suggestions.list'), t('suggestions.change'), t('suggestions.find')];
}
