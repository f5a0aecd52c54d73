import type { Ordinal } from '#server/models/offline/requests';

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** Alternatives that match which of several is meant. */
export const ORDINAL_PATTERN = `${ORDINALS.join('|')}|last`;
/** Alternatives that match a place within a page. */
export const PLACE_PATTERN =
  'top|start|beginning|front|bottom|end|(?:position|place|number) \\d{1,3}|(?:first|second|third|fourth|fifth|last) (?:position|place)';

/** Index of an ordinal word, -1 for "last", 0 for none. */
export function ordinalOf(word: string | undefined): Ordinal {
  if (word === undefined) return 0;
  return word.toLowerCase() === 'last' ? -1 : Math.max(0, ORDINALS.indexOf(word.toLowerCase()));
}

/** Position from 1, -1 for last, of a text that matched `PLACE_PATTERN`. */
export function placeOf(text: string): number {
  const number = /\d+/.exec(text);
  if (number) return Math.max(1, Number(number[0]));
  if (/^(?:bottom|end|last)/i.test(text)) return -1;
  return ordinalOf(text.split(' ')[0]) + 1;
}
