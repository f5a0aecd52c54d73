import { collapseSpaces, stretch } from '#server/core/short-text';

/* The words of a search as the index knows them: a query becomes phrases, phrases find a snippet of a text. */

/** The words of a query, see `searchPhrases`. */
export type Phrases = readonly (readonly string[])[];

/** More than anybody asks for; what lies beyond is ignored. */
const MAX_PHRASES = 16;
const MAX_PHRASE_CHARS = 100;
/** Shorter words must match whole: too many others begin like them. */
const MIN_PREFIX_CHARS = 3;

/** A word as the index (unicode61) knows it. */
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Scripts that set no space between words; the index takes a whole clause of them for one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * Splits a query into phrases, each a list of words: one for each piece between spaces (`pricing-page` is two words in a
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

/** True for words of a script without spaces, which the index cannot find. */
export function isUnspaced(words: readonly string[]): boolean {
  return words.some((word) => UNSPACED.test(word));
}

/**
 * An FTS5 expression that finds the phrases, all of them or any, in one session; null: in any. Everything is quoted, so
 * that no query is a syntax error; the last word of a phrase may go on (`publish` finds `published`).
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

/** Longest snippet, characters. */
const SNIPPET_CHARS = 200;
/** Characters of it in front of the first match. */
const LEAD_CHARS = 50;
/** Matches looked at in one text; more do not make a better snippet. */
const MAX_MATCHES = 500;

interface Match {
  readonly at: number;
  readonly word: string;
}

/**
 * The stretch of a text with the most of the phrases' words in it, on one line, at most 200 characters, with an
 * ellipsis where it is cut. The beginning where none is found.
 */
export function searchSnippet(text: string, phrases: Phrases): string {
  const words = [...new Set(phrases.flat().map(fold))];
  const start = Math.max(0, bestStart(findWords(text, words)) - LEAD_CHARS);
  const end = start + SNIPPET_CHARS - 2;
  const cut = collapseSpaces(stretch(text, start, end).toWellFormed());
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

/** Tells whether a text has any of the phrases' words. */
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

/** Finds the place at which a snippet holds the most different words. */
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

/** Without case and accents, as the index compares. */
function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}
