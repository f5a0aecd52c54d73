import { foldAccents } from '#server/core/fold-text';

/* Compares texts as a reader would: ignoring case and accents, or approximately. */

/** A normalized text, with the positions of its characters in the original. */
interface TextKey {
  readonly text: string;
  /** Position in the original of the character of `text` at an index; for the length of `text`, the end. */
  at(index: number): number;
}

const QUOTES = /[\u2018-\u201f\u00ab\u00bb\u2039\u203a"'`\u00b4]/u;
/** Emphasis marks of Markdown. */
const MARKS = /[*_~]/u;
const DASHES = /[\u2010-\u2015\u2212-]/u;

/**
 * Normalises a text for loose comparison: lower case, without accents and emphasis, one kind of quote, dash and space.
 */
export function textKey(original: string): TextKey {
  const places: number[] = [];
  // Joined at the end: reading from a string while it grows copies it each time.
  const pieces: string[] = [];
  let index = 0;
  for (const character of original) {
    const isSpace = /\s/u.test(character);
    const folded = isSpace ? (pieces.at(-1) === ' ' ? '' : ' ') : plainCharacter(character);
    for (let i = 0; i < folded.length; i += 1) places.push(index);
    if (folded !== '') pieces.push(folded);
    index += character.length;
  }
  places.push(original.length);
  return { text: pieces.join(''), at: (place) => places[place] ?? original.length };
}

function plainCharacter(character: string): string {
  if (MARKS.test(character)) return '';
  if (QUOTES.test(character)) return '"';
  return DASHES.test(character) ? '-' : character.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Minimum similarity (0 to 1) at which a name is suggested. */
const MIN_SIMILARITY = 0.35;

/** The pairs of adjacent letters in a text. */
function pairsOf(text: string): Set<string> {
  const letters = foldAccents(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
}

/** Dice coefficient over pairs of letters. */
function similarity(a: Set<string>, b: Set<string>): number {
  if (a.size + b.size === 0) return 0;
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

/** Returns the names that are most similar to a text: at most three, the best first. Empty if none is similar enough. */
export function nearMatches(text: string, names: readonly string[]): string[] {
  const pairs = pairsOf(text.slice(0, 200));
  return names
    .map((name) => ({ name, similarity: similarity(pairs, pairsOf(name)) }))
    .filter((candidate) => candidate.similarity >= MIN_SIMILARITY)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, 3)
    .map(({ name }) => name);
}
