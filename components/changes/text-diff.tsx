/** A stretch of a text that is in both versions, or in one of them. */
export interface TextPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Largest table of two texts' parts that are compared with each other; above it the whole stretch counts as replaced. */
const MAX_CELLS = 1_000_000;
/** With fewer of their words (in characters) in common, two texts are shown one after the other. */
const MIN_COMMON_SHARE = 0.25;
/** Characters of an unchanged stretch that are shown at a change, before the rest is folded. */
const CONTEXT = 90;
/** An unchanged stretch is folded where at least so many characters go away. */
const MIN_FOLDED = 120;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * What was taken out of a text and what was put in, in reading order: first by paragraph, then by word within
 * paragraphs that were changed. The pieces that are not `added` are `before`, those that are not `removed` are `after`.
 */
export function diffText(before: string, after: string): TextPiece[] {
  if (before === after) return merged([{ kind: 'same', text: before }]);
  const byParagraph = merged(diffParts(paragraphs(before), paragraphs(after)));
  return merged(byParagraph.flatMap((piece, index) => refine(piece, byParagraph[index + 1], byParagraph[index - 1])));
}

/** Several pieces, where an unchanged one that is long has lost its middle: what is folded away is `folded`. */
export type ShownPiece = TextPiece | { readonly kind: 'folded'; readonly text: string };

/** The same with the middle of long unchanged stretches (at the ends: all but what is next to the change) folded. */
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

/** Each with the line breaks behind it. */
function paragraphs(text: string): string[] {
  return text.match(/[^\n]*\n+|[^\n]+$/g) ?? [];
}

function words(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** A replaced stretch word by word; the piece that was put in has nothing left to say then. */
function refine(piece: TextPiece, next: TextPiece | undefined, last: TextPiece | undefined): TextPiece[] {
  if (piece.kind === 'added' && last?.kind === 'removed') return [];
  if (piece.kind !== 'removed' || next?.kind !== 'added') return [piece];
  const pieces = withoutIslands(merged(diffParts(words(piece.text), words(next.text))));
  const common = pieces.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  return common < MIN_COMMON_SHARE * Math.min(piece.text.length, next.text.length) ? [piece, next] : pieces;
}

/** A space between two replaced words is replaced with them: else nobody can read it. */
function withoutIslands(pieces: readonly TextPiece[]): TextPiece[] {
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

/** Neighbours of a kind become one; between two unchanged stretches what was removed comes before what was added. */
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
  return alignLists(before, after).flatMap(({ before: was, after: is }): TextPiece[] => {
    if (was !== null && is !== null) return [{ kind: 'same', text: is }];
    return [was === null ? { kind: 'added', text: is ?? '' } : { kind: 'removed', text: was }];
  });
}

/** Two equal items, or one that the other list has no match for. */
export interface Aligned<T> {
  readonly before: T | null;
  readonly after: T | null;
}

/** The longest common run of two lists, and what is in one of them alone, in order. Lists too long for that have only their ends in common. */
export function alignLists<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (one: T, other: T) => boolean = (one, other) => one === other,
): Aligned<T>[] {
  let start = 0;
  while (start < before.length && start < after.length && isSame(before[start]!, after[start]!)) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && isSame(before[before.length - 1 - end]!, after[after.length - 1 - end]!)) end += 1;
  const pairAt = (index: number, offset: number): Aligned<T> => ({
    before: before[index]!,
    after: after[index + offset]!,
  });
  const shift = after.length - before.length;
  return [
    ...before.slice(0, start).map((_, index) => pairAt(index, 0)),
    ...alignMiddles(before.slice(start, before.length - end), after.slice(start, after.length - end), isSame),
    ...before.slice(before.length - end).map((_, index) => pairAt(before.length - end + index, shift)),
  ];
}

function alignMiddles<T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (one: T, other: T) => boolean,
): Aligned<T>[] {
  const removed = before.map((item): Aligned<T> => ({ before: item, after: null }));
  const added = after.map((item): Aligned<T> => ({ before: null, after: item }));
  const columns = after.length + 1;
  if ((before.length + 1) * columns > MAX_CELLS) return [...removed, ...added];
  // Length of the longest common run of what comes after each pair of places.
  const lengths = new Uint16Array((before.length + 1) * columns);
  for (let row = before.length - 1; row >= 0; row -= 1) {
    for (let column = after.length - 1; column >= 0; column -= 1) {
      lengths[row * columns + column] = isSame(before[row]!, after[column]!)
        ? lengths[(row + 1) * columns + column + 1]! + 1
        : Math.max(lengths[(row + 1) * columns + column]!, lengths[row * columns + column + 1]!);
    }
  }
  const aligned: Aligned<T>[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length && column < after.length) {
    if (isSame(before[row]!, after[column]!)) {
      aligned.push({ before: before[row]!, after: after[column]! });
      row += 1;
      column += 1;
    } else if (lengths[(row + 1) * columns + column]! >= lengths[row * columns + column + 1]!) {
      aligned.push(removed[row]!);
      row += 1;
    } else {
      aligned.push(added[column]!);
      column += 1;
    }
  }
  return [...aligned, ...removed.slice(row), ...added.slice(column)];
}
