/**
 * The text itself, or its beginning and end with the number of characters left out between. Never longer than
 * `maxChars` plus the note, and never cuts a surrogate pair.
 */
export function excerpt(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = text.slice(0, Math.ceil(maxChars * 0.7)).toWellFormed();
  const end = text.slice(text.length - Math.floor(maxChars * 0.3)).toWellFormed();
  return `${start} [... ${text.length - maxChars} characters left out ...] ${end}`;
}

/** The text on one line, at most `maxChars` long, with an ellipsis where it was cut. */
export function oneLine(text: string, maxChars: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}
