import { stemmer } from 'stemmer';
import { collapseSpaces, stretch } from '#server/core/text/short-text';
import { UNSPACED_SCRIPTS } from '#server/core/text/unspaced-scripts';

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
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u');

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

/** True for words of a script without spaces, which the index of words cannot find. */
export function isUnspaced(words: readonly string[]): boolean {
  return words.some((word) => UNSPACED.test(word));
}

/**
 * Maximum number of words in scripts without spaces: each is a query, and a short one a scan. Further ones are ignored.
 */
const MAX_UNSPACED = 8;

/** The phrases that the index of words finds, and the distinct words that it cannot find. */
export function dividePhrases(phrases: Phrases): { readonly spaced: Phrases; readonly unspaced: readonly string[] } {
  return {
    spaced: phrases.filter((words) => !isUnspaced(words)),
    unspaced: [...new Set(phrases.filter(isUnspaced).flat())].slice(0, MAX_UNSPACED),
  };
}

/**
 * An FTS5 expression for the index of words that finds all or any of the phrases in one session; null: in any session.
 * Everything is quoted, so that no query is a syntax error.
 * @param reach `beginnings`: the last word of a phrase is a prefix (`publish` finds `published`); an English word also
 * finds the words with its stem (`painting` finds `painted`). `words`: without prefixes
 */
export function matchExpression(
  sessionId: string | null,
  phrases: Phrases,
  operator: 'AND' | 'OR',
  reach: 'words' | 'beginnings' = 'beginnings',
): string {
  const wanted = phrases.map((words) => {
    const goesOn = reach === 'beginnings' && (words.at(-1) ?? '').length >= MIN_PREFIX_CHARS;
    const whole = `${quote(words.join(' '))}${goesOn ? '*' : ''}`;
    const forms = formsOf(words).map(quote);
    return forms.length === 0 ? whole : `(${[whole, ...forms].join(' OR ')})`;
  });
  const text = `text : (${wanted.join(` ${operator} `)})`;
  return sessionId === null ? text : `session : ${quote(sessionId)} AND ${text}`;
}

/** An FTS5 expression for the index of trigrams: everything in one session that contains the text; null: in any. */
export function holdsExpression(sessionId: string | null, text: string): string {
  const holds = `text : ${quote(text)}`;
  return sessionId === null ? holds : `session : ${quote(sessionMark(sessionId))} AND ${holds}`;
}

/** Where the characters for private use begin, and how many values of one character of an id are told apart. */
const PRIVATE_USE = 0xe000;
const VALUES = 80;

/**
 * The session of a row in the index of trigrams: three characters from the last six of its id, as the view of the
 * migration 0032 computes them. Several sessions may have the same.
 */
function sessionMark(sessionId: string): string {
  const characters = Array.from(sessionId);
  const valueAt = (fromEnd: number) => (characters.at(-fromEnd)?.codePointAt(0) ?? 0) % VALUES;
  return String.fromCodePoint(
    ...[1, 2, 3].map((pair) => PRIVATE_USE + valueAt(2 * pair) * VALUES + valueAt(2 * pair - 1)),
  );
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** What a text in a script without spaces is searched by. */
export interface UnspacedTerms {
  /** Sequences of three characters, which their own index finds. */
  readonly trigrams: readonly string[];
  /** Shorter words, which only a scan finds. */
  readonly short: readonly string[];
}

/** Length of the sequences in the index of trigrams, characters. */
export const TRIGRAM = 3;
/** Maximum number of trigrams of one query: each is one read of the index. */
const MAX_TRIGRAMS = 40;
/** Words of two characters inside a clause, for example 料金 in 日曜日の料金は: the index finds none of them. */
const SHORT_WORD = /(?<!\p{Script=Han})\p{Script=Han}{2}(?!\p{Script=Han})/gu;

/** Splits words of a script without spaces into what an index or a scan can find. */
export function unspacedTerms(words: readonly string[]): UnspacedTerms {
  const [trigrams, short] = [new Set<string>(), new Set<string>()];
  for (const word of words) {
    const characters = Array.from(word);
    if (characters.length < TRIGRAM) short.add(word);
    else for (const [found] of word.matchAll(SHORT_WORD)) short.add(found);
    for (let at = 0; at + TRIGRAM <= characters.length; at += 1)
      trigrams.add(characters.slice(at, at + TRIGRAM).join(''));
  }
  return { trigrams: [...trigrams].slice(0, MAX_TRIGRAMS), short: [...short].slice(0, MAX_PHRASES) };
}

/** A word that may be English. */
const ENGLISH = /^[a-z]{3,40}$/i;
/** Endings that the Porter stemmer removes from common words. */
const ENDINGS = ['', 'e', 's', 'es', 'ed', 'd', 'ing', 'er', 'ers', 'ly', 'y', 'ies', 'ied', 'ion', 'ions', 'ive', 'al', 'able', 'ment', 'ments', 'ness', 'ful']; // oxfmt-ignore

/**
 * Other forms of a single English word: those with its Porter stem. Empty for phrases and for words of other
 * languages with other letters; a form that does not exist finds nothing.
 */
function formsOf(words: readonly string[]): string[] {
  const [word = ''] = words;
  if (words.length !== 1 || !ENGLISH.test(word)) return [];
  const stem = stemmer(word.toLowerCase());
  // `stori` is the stem of `story`; `running` doubles the last letter of `run`.
  const bases = [stem, stem.replace(/i$/, ''), stem + stem.slice(-1)];
  const forms = new Set(bases.flatMap((base) => ENDINGS.map((ending) => base + ending)));
  return [...forms].filter((form) => form !== word.toLowerCase() && stemmer(form) === stem);
}

/**
 * What a query finds in a text, each with the number of its term: words and their forms by their beginnings, and pieces
 * of texts in scripts without spaces. Made once for all hits of a search, because a query has hundreds of forms.
 */
export interface SoughtWords {
  readonly beginnings: ReadonlyMap<string, number>;
  /** Lengths of the beginnings. */
  readonly lengths: readonly number[];
  readonly pieces: readonly (readonly [piece: string, term: number])[];
}

/** Prepares the words of a query for `searchSnippet` and `hasWords`. */
export function soughtWords(phrases: Phrases): SoughtWords {
  const beginnings = new Map<string, number>();
  const pieces: [string, number][] = [];
  let term = 0;
  for (const words of phrases) {
    if (isUnspaced(words)) {
      for (const piece of unspacedPieces(words)) pieces.push([fold(piece), (term += 1)]);
      continue;
    }
    for (const word of words) beginnings.set(fold(word), (term += 1));
    // The forms of a word are one term with it.
    for (const form of formsOf(words)) if (!beginnings.has(form)) beginnings.set(form, term);
  }
  const lengths = [...new Set([...beginnings.keys()].map(({ length }) => length))].toSorted((a, b) => a - b);
  return { beginnings, lengths, pieces };
}

/** Of a text in a script without spaces the words themselves, and their shortest pieces. */
function unspacedPieces(words: readonly string[]): string[] {
  const { trigrams, short } = unspacedTerms(words);
  return [...new Set([...words, ...trigrams, ...short])];
}

/** Maximum length of a snippet, characters. */
const SNIPPET_CHARS = 200;
/** Characters of the snippet before the first match. */
const LEAD_CHARS = 50;
/** Maximum number of matches that are evaluated in one text; more do not improve the snippet. */
const MAX_MATCHES = 500;

interface Match {
  readonly at: number;
  readonly term: number;
}

/**
 * The passage of a text with the most terms of a query, on one line, at most 200 characters, with an ellipsis at each
 * cut. The beginning of the text if there is no match.
 */
export function searchSnippet(text: string, sought: SoughtWords): string {
  const start = Math.max(0, bestStart(findWords(text, sought, MAX_MATCHES)) - LEAD_CHARS);
  const end = start + SNIPPET_CHARS - 2;
  const cut = collapseSpaces(stretch(text, start, end).toWellFormed());
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

/** True if a text contains any word of the query. */
export function hasWords(text: string, sought: SoughtWords): boolean {
  return findWords(text, sought, 1).length > 0;
}

/** The first matches in a text. The cost does not grow with the number of forms, only with that of their lengths. */
function findWords(text: string, { beginnings, lengths, pieces }: SoughtWords, most: number): Match[] {
  const matches: Match[] = [];
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const folded = fold(found);
    for (const length of lengths) {
      if (length > folded.length) break;
      const term = beginnings.get(folded.slice(0, length));
      if (term !== undefined) matches.push({ at: index, term });
    }
    if (pieces.length > 0 && UNSPACED.test(found)) {
      for (const [piece, term] of pieces) {
        const at = folded.indexOf(piece);
        if (at >= 0) matches.push({ at: index + at, term });
      }
    }
    if (matches.length >= most) break;
  }
  return matches;
}

/** Finds the position at which a snippet contains the most different terms. */
function bestStart(matches: readonly Match[]): number {
  let best = { at: 0, count: 0 };
  for (const [index, { at }] of matches.entries()) {
    const terms = new Set<number>();
    for (let next = index; (matches[next]?.at ?? Infinity) < at + SNIPPET_CHARS - LEAD_CHARS; next += 1) {
      terms.add(matches[next]!.term);
    }
    if (terms.size > best.count) best = { at, count: terms.size };
  }
  return best.at;
}

/** Text that folding leaves as it is, but for its case. */
const ASCII = /^[\0-\x7F]*$/;

/** Removes case and accents, as the index does for comparison. */
function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}
