import { isUnspaced, WORD } from '#server/store/search-phrases';

/** Longest snippet, characters. */
const SNIPPET_CHARS = 200;
/** Of them, what stands before the first match. */
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
export function searchSnippet(text: string, phrases: readonly (readonly string[])[]): string {
  const words = [...new Set(phrases.flat().map(fold))];
  const start = Math.max(0, bestStart(findWords(text, words)) - LEAD_CHARS);
  const end = start + SNIPPET_CHARS - 2;
  const cut = text.slice(start, end).toWellFormed().replace(/\s+/g, ' ').trim();
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
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

/** Where the snippet's length holds the most different words. */
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
