import { countTokens as countEncoded } from 'gpt-tokenizer/encoding/o200k_base';

/**
 * Longest text given to the tokenizer at once, in UTF-16 code units. Its merge loop is quadratic in the length of one
 * unbroken word: 100,000 letters without a space take 7 s whole and a few milliseconds in slices.
 */
export const SLICE_LENGTH = 1024;

/** Special tokens in a text are plain text to us; the tokenizer's default is to throw on them. */
const SPECIAL_AS_TEXT = { disallowedSpecial: new Set<string>() };

/**
 * Tokens of a text in the o200k vocabulary, before any per-model factor. Counted in slices, so a word cut by a slice
 * border may count one token more: an over-count of at most 1 in 1,024 characters.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const slice of slices(text)) tokens += countEncoded(slice, SPECIAL_AS_TEXT);
  return tokens;
}

/** The text in order, in pieces short enough for the tokenizer whatever they hold. */
export function* slices(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += SLICE_LENGTH) yield text.slice(start, start + SLICE_LENGTH);
}

/** Texts that come again with every request; a session has two or three of them. */
const MAX_REMEMBERED = 100;
const remembered = new Map<string, number>();

/**
 * `countTokens` for texts that every step sends again (instructions, tool schemas, a summary): counted the first time,
 * remembered while they are among the hundred last asked for.
 */
export function countRecurringTokens(text: string): number {
  const tokens = remembered.get(text) ?? countTokens(text);
  remembered.delete(text);
  remembered.set(text, tokens);
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return tokens;
}
