/** The text in at most `maxChars` characters, with an ellipsis where it was cut. A character of two halves stays whole. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${beginning(text, maxChars - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

/** The first characters of a text, without half of one that UTF-16 writes as two, such as an emoji. */
function beginning(text: string, maxChars: number): string {
  const last = text.charCodeAt(maxChars - 1);
  const isHalved = text.length > maxChars && last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalved ? maxChars - 1 : maxChars);
}

/** The text on one line, at most `maxChars` long, with an ellipsis where it was cut. */
export function oneLine(text: string, maxChars: number): string {
  // Only so much is read as can be shown; white space may be most of it.
  const start = beginning(text, maxChars * 4);
  const line = start.replaceAll(/\s+/g, ' ').trim();
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
  return [shortTitle(`…${before.slice(from).toWellFormed()}`), shortTitle(`…${after.slice(from).toWellFormed()}`)];
}

/** Number of characters in which two texts begin alike. */
export function firstDifference(before: string, after: string): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return at;
}
