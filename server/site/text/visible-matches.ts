import { decodeEntities } from '#server/markup/html-text';
import { visibleRuns, type VisibleCharacter } from '#server/markup/visible-text';
import { escapeText } from '#server/markup/write-html';

/* Finds a text as readers see it, if its source has other spaces, tags or marks between its characters. */

/** Kind of a source: Markdown, HTML, or text that is shown literally. */
export type SourceKind = 'plain' | 'markdown' | 'html';

/** A part of a source and its replacement. */
export interface SourceEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A place where readers see a text. */
interface VisibleMatch {
  readonly start: number;
  readonly end: number;
  /**
   * Replaces the text and keeps all tags and marks; what is inserted is encoded for the source, because the query text
   * is what readers see. Null if it is unclear to which words the tags and marks should belong.
   */
  readonly edits: readonly SourceEdit[] | null;
}

/** Soft hyphen, zero-width space, word joiner and byte order mark: they are invisible. */
const HIDDEN = /[\u00ad\u200b\u2060\ufeff]/;
const NO_BREAK_HYPHEN = '\u2011';
/** Spaces other than the plain one, and characters with which a tag, a mark, an escape or a reference begins. */
const HAS_MARKUP_OR_SPACES = /[^\S ]|[\u00ad\u200b\u2060\u2011\ufeff]|[*_~`[\\&<]/;
/** Words separated by one plain space: a query text with other spaces means exactly those. */
const PLAIN = /^ ?[^\s\u00ad\u200b\u2011\u2060\ufeff]+(?: [^\s\u00ad\u200b\u2011\u2060\ufeff]+)* ?$/;

/**
 * Letters and digits of a text, without tags and addresses: a source that lacks those of another text cannot show that
 * text.
 */
function lettersOf(text: string, kind: SourceKind): string {
  const words = kind === 'plain' ? text : decodeEntities(text.replaceAll(/<[^<>]*>|\]\([^()\s]*\)/g, ''));
  return words.replaceAll(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}

/** A character or a run of spaces in the form in which it is compared. */
interface ComparedCharacter {
  readonly text: string;
  readonly characters: readonly VisibleCharacter[];
}

function comparedCharacters(run: readonly VisibleCharacter[]): ComparedCharacter[] {
  const seen: { text: string; characters: VisibleCharacter[] }[] = [];
  for (const character of run) {
    const { text } = character;
    if (HIDDEN.test(text)) continue;
    const isSpace = /^\s$/.test(text);
    const last = seen.at(-1);
    if (isSpace && last?.text === ' ') last.characters.push(character);
    else seen.push({ text: isSpace ? ' ' : text === NO_BREAK_HYPHEN ? '-' : text, characters: [character] });
  }
  return seen;
}

/**
 * Finds places where readers see a text; exact matches of the source are left out.
 * @param isWord checks that a match is not part of a longer word
 */
export function visibleMatches(
  source: string,
  kind: SourceKind,
  { find, replace, anyCase }: { readonly find: string; readonly replace: string; readonly anyCase: boolean },
  isWord: (text: string, at: number) => boolean = () => true,
): VisibleMatch[] {
  if (!PLAIN.test(find) || !HAS_MARKUP_OR_SPACES.test(source)) return [];
  const letters = lettersOf(find, 'plain');
  if (letters === '' || !lettersOf(source, kind).includes(letters)) return [];
  const fold = (text: string) => (anyCase && text.toLowerCase().length === text.length ? text.toLowerCase() : text);
  const wanted = fold(find);
  return visibleRuns(source, kind).flatMap((run) => {
    const seen = comparedCharacters(run);
    const text = fold(seen.map((one) => one.text).join(''));
    // For each UTF-16 unit of the text, the index of the item that it comes from.
    const items = seen.flatMap((one, index) => Array.from({ length: one.text.length }, () => index));
    const matches: VisibleMatch[] = [];
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      const part = seen.slice(items[at], (items[at + wanted.length - 1] ?? 0) + 1);
      const [start, end] = [part[0]!.characters[0]!.start, part.at(-1)!.characters.at(-1)!.end];
      if (fold(source.slice(start, end)) === wanted || !isWord(text, at)) continue;
      const edits = editsOf(part, replace)?.map((edit) => ({ ...edit, text: encoded(edit.text, kind) })) ?? null;
      const isDone = edits !== null && edits.length > 0 && edits.every((edit) => isUnchanged(source, edit));
      if (!isDone) matches.push({ start, end, edits });
    }
    return matches;
  });
}

/** A text in the notation of a source, so that readers see it literally. */
export function encoded(text: string, kind: SourceKind): string {
  if (kind === 'html') return escapeText(text);
  return kind === 'markdown' ? text.replaceAll(/[\\`*_~[\]<]|&(?=#?\w+;)/g, String.raw`\$&`) : text;
}

const isUnchanged = (source: string, { start, end, text }: SourceEdit) => source.slice(start, end) === text;

function wordsOf(part: readonly ComparedCharacter[]): ComparedCharacter[][] {
  const words: ComparedCharacter[][] = [[]];
  for (const one of part) {
    if (one.text === ' ') words.push([]);
    else words.at(-1)!.push(one);
  }
  return words;
}

/**
 * Replaces word by word if both texts have the same number of words, so that spaces and marks between them are kept;
 * otherwise the differing part as a whole.
 */
function editsOf(part: readonly ComparedCharacter[], replace: string): SourceEdit[] | null {
  const [words, latter] = [wordsOf(part), replace.split(' ')];
  const isWordForWord = words.length === latter.length && latter.every((word) => !/\s/.test(word));
  const edits = isWordForWord ? words.map((word, index) => editOf(word, latter[index] ?? '')) : [editOf(part, replace)];
  if (edits.some((edit) => edit === null)) return null;
  const changed = edits.flatMap((edit) => (edit === 'none' || edit === null ? [] : [edit]));
  const isMarked = new Set(part.flatMap(({ characters }) => characters.map(({ piece }) => piece))).size > 1;
  // A mark around nothing, or with a space directly inside it, is no longer a mark.
  const isEmptied = ({ start, end, text }: SourceEdit) => end > start && (text === '' || text.trim() !== text);
  return isMarked && changed.some(isEmptied) ? null : changed;
}

/** Replaces the differing part between a match and a text; null if that part spans several pieces of the source. */
function editOf(part: readonly ComparedCharacter[], replace: string): SourceEdit | 'none' | null {
  const latter = Array.from(replace);
  let before = 0;
  while (before < Math.min(part.length, latter.length) && part[before]?.text === latter[before]) before += 1;
  let after = 0;
  const most = Math.min(part.length, latter.length) - before;
  while (after < most && part.at(-1 - after)?.text === latter.at(-1 - after)) after += 1;
  const text = latter.slice(before, latter.length - after).join('');
  const changed = part.slice(before, part.length - after).flatMap(({ characters }) => characters);
  const [first, last] = [changed[0], changed.at(-1)];
  if (first === undefined || last === undefined) {
    if (text === '') return 'none';
    const [previous, next] = [part[before - 1]?.characters.at(-1), part[before]?.characters[0]];
    const isBetweenPieces = previous !== undefined && next !== undefined && previous.piece !== next.piece;
    const at = previous?.end ?? next?.start;
    return isBetweenPieces || at === undefined ? null : { start: at, end: at, text };
  }
  const isOnePiece = first.piece !== -1 && changed.every(({ piece }) => piece === first.piece);
  return isOnePiece ? { start: first.start, end: last.end, text } : null;
}
