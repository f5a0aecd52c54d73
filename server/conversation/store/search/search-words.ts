import { collapseSpaces, stretch } from '#server/core/text/short-text';

/* Words of a search as the index splits them: a query becomes phrases, and phrases select a snippet of a text. */

/** The words of a query, see `searchPhrases`. */
export type Phrases = readonly (readonly string[])[];

/** More than any query needs; further phrases and characters are ignored. */
const MAX_PHRASES = 16;
const MAX_PHRASE_CHARS = 100;
/** Shorter words must match completely: too many others start with them. */
const MIN_PREFIX_CHARS = 3;

/** A word as the index (unicode61) defines it. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Scripts without spaces between words; the index treats a whole clause as one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Splits a query into distinct phrases, each a list of words: one phrase for each piece between spaces (`pricing-page`
 * is two consecutive words). Empty if the query has no letters or digits.
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

/** True for words of a script without spaces, which the index cannot find. */
export function isUnspaced(words: readonly string[]): boolean {
  return words.some((word) => UNSPACED.test(word));
}

/**
 * An FTS5 expression that finds all or any of the phrases in one session; null: in any session. Everything is quoted,
 * so that no query is a syntax error; the last word of a phrase is a prefix (`publish` finds `published`).
 */
export function matchExpression(sessionId: string | null, phrases: Phrases, operator: 'AND' | 'OR'): string {
  const wanted = phrases.map((words) => {
    const goesOn = (words.at(-1) ?? '').length >= MIN_PREFIX_CHARS;
    return `${quote(words.join(' '))}${goesOn ? '*' : ''}`;
  });
  const text = `text : (${wanted.join(` ${operator} `)})`;
  return sessionId === null ? text : `session : ${quote(sessionId)} AND ${text}`;
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** Maximum length of a snippet, characters. */
const SNIPPET_CHARS = 200;
/** Characters of the snippet before the first match. */
const LEAD_CHARS = 50;
/** Maximum number of matches that are evaluated in one text; more do not improve the snippet. */
const MAX_MATCHES = 500;

interface Match {
  readonly at: number;
  readonly word: string;
}

/**
 * The passage of a text with the most words of the phrases, on one line, at most 200 characters, with an ellipsis at
 * each cut. The beginning of the text if there is no match.
 */
export function searchSnippet(text: string, phrases: Phrases): string {
  const words = [...new Set(phrases.flat().map(fold))];
  const start = Math.max(0, bestStart(findWords(text, words)) - LEAD_CHARS);
  const end = start + SNIPPET_CHARS - 2;
  const cut = collapseSpaces(stretch(text, start, end).toWellFormed());
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

/** True if a text contains any word of the phrases. */
export function hasWords(text: string, phrases: Phrases): boolean {
  return findWords(text, phrases.flat().map(fold)).length > 0;
}

function findWords(text: string, words: readonly string[]): Match[] {
  const matches: Match[] = [];
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const folded = fold(found);
    for (const word of words) {
      const at = isUnspaced([word]) ? folded.indexOf(word) : folded.startsWith(word) ? 0 : -1;
      if (at >= 0) matches.push({ at: index + at, word });
    }
    if (matches.length >= MAX_MATCHES) break;
  }
  return matches;
}

/** Finds the position at which a snippet contains the most different words. */
function bestStart(matches: readonly Match[]): number {
  let best = { at: 0, count: 0 };
  for (const [index, { at }] of matches.entries()) {
    const words = new Set<string>();
    for (let next = index; (matches[next]?.at ?? Infinity) < at + SNIPPET_CHARS - LEAD_CHARS; next += 1) {
      words.add(matches[next]?.word ?? '');
    }
    if (words.size > best.count) best = { at, count: words.size };
  }
  return best.at;
}

/** Removes case and accents, as the index does for comparison. */
function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}
