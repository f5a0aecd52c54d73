/** More than anybody asks for; what lies beyond is ignored. */
const MAX_PHRASES = 16;
const MAX_PHRASE_CHARS = 100;
/** Shorter words must match whole: too many others begin like them. */
const MIN_PREFIX_CHARS = 3;

/** A word as the index (unicode61) knows it. */
export const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Scripts that set no space between words; the index takes a whole clause of them for one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * What a query asks for, as lists of words: a phrase for each piece between spaces (`pricing-page` is two words in a
 * row), each once. Empty when the query has no letters or digits.
 */
export function searchPhrases(query: string): string[][] {
  const phrases = new Map<string, string[]>();
  for (const [piece] of query.matchAll(/\S+/g)) {
    const words = piece.slice(0, MAX_PHRASE_CHARS).match(WORD);
    if (words) phrases.set(words.join(' ').toLowerCase(), words);
    if (phrases.size === MAX_PHRASES) break;
  }
  return [...phrases.values()];
}

/** Whether the index cannot find these words, because their script does not part them. */
export function isUnspaced(words: readonly string[]): boolean {
  return words.some((word) => UNSPACED.test(word));
}

/**
 * An FTS5 expression that finds the phrases in one session, all of them or any. Everything is quoted, so that no
 * query is a syntax error; the last word of a phrase may go on (`publish` finds `published`).
 */
export function matchExpression(
  sessionId: string,
  phrases: readonly (readonly string[])[],
  operator: 'AND' | 'OR',
): string {
  const wanted = phrases.map((words) => {
    const goesOn = (words.at(-1) ?? '').length >= MIN_PREFIX_CHARS;
    return `${quote(words.join(' '))}${goesOn ? '*' : ''}`;
  });
  return `session : ${quote(sessionId)} AND text : (${wanted.join(` ${operator} `)})`;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
