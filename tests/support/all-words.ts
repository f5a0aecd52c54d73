import { toolTitleStrings } from '#components/chat/parts/tool-words.ts';
import type { Translation } from '#components/languages/translation.ts';

/** Every table of words of the interface; its texts are in the language that is spoken when they are read. */
export const allWords: Omit<Translation, 'served' | 'renderMessage'> = {
  toolTitleStrings,
};

/** Every text and sentence of some words, by its place: `sidebarStrings.label`. What is neither is left out. */
export function leavesOf(words: unknown, place = ''): [place: string, said: unknown][] {
  if (typeof words === 'string' || typeof words === 'function') return [[place, words]];
  return Object.entries(Object(words) as object).flatMap(([key, inner]) =>
    leavesOf(inner, place === '' ? key : `${place}.${key}`),
  );
}
