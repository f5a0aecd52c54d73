import { changedParts } from '#server/markup/changed-parts';

/** A piece of text that is in both versions, or in one of them. */
interface TextPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/**
 * Least share of common words (in characters); two texts with less are shown one after the other. A choice, not
 * measured.
 */
const MIN_COMMON_SHARE = 0.25;
/** Characters of an unchanged piece that are shown next to a change; the rest is hidden. About one line. */
const CONTEXT = 90;
/** Part of an unchanged piece is hidden only if it has at least so many characters. A choice, not measured. */
const MIN_FOLDED = 120;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * Compares two texts in reading order, first by paragraph, then by word within changed paragraphs. The pieces that are
 * not `added` make up `before`, those that are not `removed` make up `after`.
 */
export function diffText(before: string, after: string): TextPiece[] {
  if (before === after) return merged([{ kind: 'same', text: before }]);
  const byParagraph = merged(diffParts(paragraphs(before), paragraphs(after)));
  return merged(byParagraph.flatMap((piece, index) => refine(piece, byParagraph[index + 1], byParagraph[index - 1])));
}

/** A displayed piece of a comparison; `folded` is the hidden middle of a long unchanged piece. */
type ShownPiece = TextPiece | { readonly kind: 'folded'; readonly text: string };

/**
 * Hides the middle of long unchanged pieces; of the first and last piece, everything except the text next to a change.
 */
export function foldUnchanged(pieces: readonly TextPiece[]): ShownPiece[] {
  return pieces.flatMap((piece, index): ShownPiece[] => {
    if (piece.kind !== 'same') return [piece];
    const head = index === 0 ? '' : upToWord(piece.text.slice(0, CONTEXT));
    const tail = index === pieces.length - 1 ? '' : fromWord(piece.text.slice(-CONTEXT));
    const folded = piece.text.length - head.length - tail.length;
    if (pieces.length === 1 || folded < MIN_FOLDED) return [piece];
    const parts: ShownPiece[] = [
      { kind: 'same', text: head },
      { kind: 'folded', text: piece.text.slice(head.length, piece.text.length - tail.length) },
      { kind: 'same', text: tail },
    ];
    return parts.filter(({ text }) => text !== '');
  });
}

function upToWord(text: string): string {
  const end = text.search(/\s\S*$/);
  return end <= 0 ? text : text.slice(0, end);
}

function fromWord(text: string): string {
  const start = text.search(/\s/);
  return start === -1 ? text : text.slice(start);
}

/** Splits a text into paragraphs, each with the line breaks after it. */
function paragraphs(text: string): string[] {
  return text.match(/[^\n]*\n+|[^\n]+$/g) ?? [];
}

function wordsIn(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Compares a replaced paragraph word by word. The result for the `removed` piece contains the `added` piece after it,
 * so that piece itself gives no result.
 */
function refine(piece: TextPiece, next: TextPiece | undefined, last: TextPiece | undefined): TextPiece[] {
  if (piece.kind === 'added' && last?.kind === 'removed') return [];
  if (piece.kind !== 'removed' || next?.kind !== 'added') return [piece];
  const pieces = joinReplacedWords(merged(diffParts(wordsIn(piece.text), wordsIn(next.text))));
  const common = pieces.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  return common < MIN_COMMON_SHARE * Math.min(piece.text.length, next.text.length) ? [piece, next] : pieces;
}

/** Treats a space between two replaced words as replaced too, so that neighbouring words are marked together. */
function joinReplacedWords(pieces: readonly TextPiece[]): TextPiece[] {
  return merged(
    pieces.flatMap((piece, index): TextPiece[] => {
      const isBetween = index > 0 && index < pieces.length - 1;
      if (piece.kind !== 'same' || piece.text.trim() !== '' || !isBetween) return [piece];
      return [
        { kind: 'removed', text: piece.text },
        { kind: 'added', text: piece.text },
      ];
    }),
  );
}

/** Joins neighbouring pieces of one kind; between two unchanged pieces, removed text comes before added text. */
function merged(pieces: readonly TextPiece[]): TextPiece[] {
  const result: TextPiece[] = [];
  let removed = '';
  let added = '';
  const flush = () => {
    if (removed !== '') result.push({ kind: 'removed', text: removed });
    if (added !== '') result.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  for (const { kind, text } of pieces) {
    if (text === '') continue;
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else {
      flush();
      const last = result.at(-1);
      if (last?.kind === 'same') result[result.length - 1] = { kind: 'same', text: last.text + text };
      else result.push({ kind: 'same', text });
    }
  }
  flush();
  return result;
}

function diffParts(before: readonly string[], after: readonly string[]): TextPiece[] {
  return changedParts(before, after).map(({ kind, items }) => ({ kind, text: items.join('') }));
}
