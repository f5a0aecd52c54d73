/* Texts compared as a reader would: in any case, with or without accents, nearly the same. */

/**
 * Text as it is compared: lower case, without accents. Positions stay those of `text` where that is possible
 * (composed characters), so that a match can be shown in the original.
 */
export function foldText(text: string): string {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return folded.length === text.length ? folded : text.toLowerCase();
}

/** A text to compare loosely, and where its characters stand in the original. */
interface TextKey {
  readonly text: string;
  /** Place in the original of the character at a place of `text`; its end for the end. */
  at(index: number): number;
}

const QUOTES = /[\u2018-\u201f\u00ab\u00bb\u2039\u203a"'`\u00b4]/u;
/** Emphasis of Markdown. */
const MARKS = /[*_~]/u;
const DASHES = /[\u2010-\u2015\u2212-]/u;

/** Text as a reader hears it: lower case, without accents and emphasis, one kind of quote, dash and space. */
export function textKey(original: string): TextKey {
  const places: number[] = [];
  // Joined at the end: what looks into a text that grows copies it each time.
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

/** From which likeness (0 to 1) on a name is worth offering. */
const LIKE_ENOUGH = 0.35;

function pairsOf(text: string): Set<string> {
  const letters = foldText(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, i) => letters.slice(i, i + 2)));
}

/** Dice coefficient over pairs of letters. */
function likeness(a: Set<string>, b: Set<string>): number {
  if (a.size + b.size === 0) return 0;
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

/** The at most three of `names` that look most like `text`, best first; none where nothing is near. */
export function nearMatches(text: string, names: readonly string[]): string[] {
  const pairs = pairsOf(text.slice(0, 200));
  return names
    .map((name) => ({ name, likeness: likeness(pairs, pairsOf(name)) }))
    .filter((candidate) => candidate.likeness >= LIKE_ENOUGH)
    .toSorted((a, b) => b.likeness - a.likeness)
    .slice(0, 3)
    .map(({ name }) => name);
}
