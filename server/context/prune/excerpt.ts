import { type CountTokens, countTokens } from '#server/context/tokens';

/**
 * The text itself, or its beginning and end with the number of characters left out between. Never longer than
 * `maxChars` plus the note, and never cuts a surrogate pair.
 * @param recallId what `recall_output` brings the whole text back by, named in the note
 */
export function excerpt(text: string, maxChars: number, recallId?: string | null): string {
  if (text.length <= maxChars) return text;
  const start = text.slice(0, Math.ceil(maxChars * 0.7)).toWellFormed();
  const end = text.slice(text.length - Math.floor(maxChars * 0.3)).toWellFormed();
  const recall = recallId === undefined || recallId === null ? '' : `, recall_output id: ${recallId}`;
  return `${start} [... ${text.length - maxChars} characters left out${recall} ...] ${end}`;
}

/** English text has about 4 characters a token, code and ids about 3; other scripts have fewer and are cut again. */
const CHARS_PER_TOKEN = 3;

/**
 * Like `excerpt`, but at most `maxTokens` long, the note included; empty where not even that fits.
 * @param count default: in the stored vocabulary
 */
export function excerptTokens(
  text: string,
  maxTokens: number,
  recallId?: string | null,
  count: CountTokens = countTokens,
): string {
  let chars = Math.floor(maxTokens * CHARS_PER_TOKEN);
  while (chars > 0) {
    const fitted = excerpt(text, chars, recallId);
    const tokens = count(fitted);
    if (tokens <= maxTokens) return fitted;
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens));
  }
  return '';
}

/** The text on one line, at most `maxChars` long, with an ellipsis where it was cut. */
export function oneLine(text: string, maxChars: number): string {
  // Only so much is read as can be shown; white space may be most of it.
  const line = text
    .slice(0, maxChars * 4)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length <= maxChars && text.length <= maxChars * 4
    ? line
    : `${line.slice(0, maxChars - 1).toWellFormed()}…`;
}
