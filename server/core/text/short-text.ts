/* Shortens texts. Lengths are in UTF-16 units; no character that consists of two units is split. */

/** Shortens a text to at most `maxChars` characters, with an ellipsis if it was cut. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${beginning(text, maxChars - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

const beginning = (text: string, maxChars: number) => stretch(text, 0, maxChars);

/**
 * Returns the part of a text between two positions, like `slice`, without half characters at its ends.
 */
export function stretch(text: string, from: number, to: number): string {
  return text.slice(isInCharacter(text, from) ? from + 1 : from, isInCharacter(text, to) ? to - 1 : to);
}

/** True between the two halves of one character. */
function isInCharacter(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** The text on one line, with each run of white space replaced by a single space. */
export function collapseSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The text on one line, at most `maxChars` long, with an ellipsis if it was cut. */
export function oneLine(text: string, maxChars: number): string {
  // Reads only as much as can be shown; most of the text may be white space.
  const start = beginning(text, maxChars * 4);
  const line = collapseSpaces(start);
  // If more text follows than was read, adds the ellipsis even if the line is short.
  return shorten(start === text ? line : line.padEnd(maxChars + 1), maxChars);
}

/** Maximum characters of a title in a sentence. */
const MAX_TITLE_LENGTH = 60;

/** A title shortened to 60 characters. */
export function shortTitle(title: string): string {
  return shorten(title, MAX_TITLE_LENGTH);
}

/** Characters shown before the first difference of two texts. */
const BEFORE_DIFFERENCE = 20;

/** Shortens two texts to 60 characters each: long ones begin shortly before their first difference. */
export function shortPair(before: string, after: string): readonly [string, string] {
  const isLong = Math.max(before.length, after.length) > MAX_TITLE_LENGTH;
  const start = firstDifference(before, after) - BEFORE_DIFFERENCE;
  if (!isLong || start <= BEFORE_DIFFERENCE) return [shortTitle(before), shortTitle(after)];
  const space = before.slice(start, start + BEFORE_DIFFERENCE).indexOf(' ');
  const from = start + space + 1;
  return [shortTitle(`…${stretch(before, from, before.length)}`), shortTitle(`…${stretch(after, from, after.length)}`)];
}

/** Number of leading characters that two texts have in common. */
export function firstDifference(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
}
