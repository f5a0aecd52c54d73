/** The text in at most `maxChars` characters, with an ellipsis where it was cut. A character of two halves stays whole. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${beginning(text, maxChars - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

const beginning = (text: string, maxChars: number) => stretch(text, 0, maxChars);

/** A text from one position to another, without half of a character that UTF-16 writes as two, such as an emoji. */
export function stretch(text: string, from: number, to: number): string {
  return text.slice(isInCharacter(text, from) ? from + 1 : from, isInCharacter(text, to) ? to - 1 : to);
}

/** True between the two halves of one character. */
function isInCharacter(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** The text on one line, with single spaces for whatever white space is in it. */
export function collapseSpaces(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** The text on one line, at most `maxChars` long, with an ellipsis where it was cut. */
export function oneLine(text: string, maxChars: number): string {
  // Only so much is read as can be shown; white space may be most of it.
  const start = beginning(text, maxChars * 4);
  const line = collapseSpaces(start);
  // Where more follows than was read, the ellipsis says so, however short the line is.
  return shorten(start === text ? line : line.padEnd(maxChars + 1), maxChars);
}

const MAX_TITLE_LENGTH = 60;

/** A title in at most 60 characters. */
export function shortTitle(title: string): string {
  return shorten(title, MAX_TITLE_LENGTH);
}

/** Characters in front of the first difference between two texts that are told apart by it. */
const BEFORE_DIFFERENCE = 20;

/** Two texts in at most 60 characters each: long ones begin shortly before they differ. */
export function shortPair(before: string, after: string): readonly [string, string] {
  const isLong = Math.max(before.length, after.length) > MAX_TITLE_LENGTH;
  const least = firstDifference(before, after) - BEFORE_DIFFERENCE;
  if (!isLong || least <= BEFORE_DIFFERENCE) return [shortTitle(before), shortTitle(after)];
  const space = before.slice(least, least + BEFORE_DIFFERENCE).indexOf(' ');
  const from = least + space + 1;
  return [shortTitle(`…${stretch(before, from, before.length)}`), shortTitle(`…${stretch(after, from, after.length)}`)];
}

/** Number of characters in which two texts begin alike. */
export function firstDifference(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
}
