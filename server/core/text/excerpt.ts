import { stretch } from '#server/core/text/short-text';

/* What fits into a number of characters or tokens. */

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number;

/**
 * The text itself, or its beginning and end, together `maxChars` long, with a note that says what is left out and how
 * to read it.
 */
export function excerpt(text: string, maxChars: number, recallId?: string | null): string {
  const recall = recallId === undefined || recallId === null ? '' : `, recall_output id: ${recallId}`;
  return withoutMiddle(text, maxChars, `[... ${text.length - maxChars} characters left out${recall} ...]`);
}

/** The text itself, or its beginning and end, at most `maxChars` long, with `mark` in place of the middle. */
export function withoutMiddle(text: string, maxChars: number, mark: string): string {
  if (text.length <= maxChars) return text;
  const start = stretch(text, 0, Math.ceil(maxChars * 0.7));
  const end = stretch(text, text.length - Math.floor(maxChars * 0.3), text.length);
  return `${start} ${mark} ${end}`;
}

/** English text has about 4 characters per token, code and ids about 3. Other scripts have fewer and are cut again. */
const CHARS_PER_TOKEN = 3;

/** Like `excerpt`, but at most `maxTokens` long including the note. Empty if not even the note fits. */
export function excerptTokens(text: string, maxTokens: number, count: CountTokens, recallId?: string | null): string {
  let chars = Math.floor(maxTokens * CHARS_PER_TOKEN);
  while (chars > 0) {
    const fitted = excerpt(text, chars, recallId);
    const tokens = count(fitted);
    if (tokens <= maxTokens) return fitted;
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens));
  }
  return '';
}

/** The newest (last) items that together fit a budget, in order. */
export function newestWithin<T>(items: readonly T[], budget: number, costOf: (item: T) => number): T[] {
  let left = budget;
  let first = items.length;
  for (const item of items.toReversed()) {
    left -= costOf(item);
    if (left < 0) break;
    first -= 1;
  }
  return items.slice(first);
}
