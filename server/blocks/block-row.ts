import { cutBlocks } from '#server/blocks/block-scan';
import { type Comparison, inOrderOf, pairedLists } from '#server/blocks/paired-lists';
import type { Range } from '#server/blocks/source-places';

/** A block inside another one. */
interface RowBlock {
  readonly name: string;
  readonly raw: string;
  /** What stands between it and the next one: white space, comments, blocks that nobody asks for. */
  readonly gap: string;
}

/** The blocks inside another one. Its pieces joined are the source. */
export interface BlockRow {
  readonly opening: string;
  readonly blocks: readonly RowBlock[];
  readonly closing: string;
}

/** The blocks in a part of a source. */
export function rowIn(raw: string, inside: Range): BlockRow {
  let opening = raw.slice(0, inside.start);
  const blocks: RowBlock[] = [];
  for (const { name, raw: piece } of cutBlocks(raw.slice(inside.start, inside.end))) {
    if (name !== null) blocks.push({ name, raw: piece, gap: '' });
    else if (blocks.length === 0) opening += piece;
    else addToGap(blocks, piece);
  }
  const last = blocks.pop();
  if (last === undefined) return { opening, blocks, closing: raw.slice(inside.end) };
  return { opening, blocks: [...blocks, { ...last, gap: '' }], closing: last.gap + raw.slice(inside.end) };
}

function addToGap(blocks: RowBlock[], raw: string): void {
  const last = blocks.pop();
  if (last !== undefined) blocks.push({ ...last, gap: last.gap + raw });
}

/** A row of which only blocks with these names count, in this order; null where it does not have them. */
export function rowOf({ opening, blocks, closing }: BlockRow, names: readonly string[]): BlockRow | null {
  const own: RowBlock[] = [];
  let start = opening;
  for (const block of blocks) {
    if (block.name === names[own.length]) own.push(block);
    else if (own.length === 0) start += block.raw + block.gap;
    else addToGap(own, block.raw + block.gap);
  }
  return own.length === names.length ? { opening: start, blocks: own, closing } : null;
}

/** What new blocks are parted by. */
const GAP = '\n\n';

/**
 * The blocks of a row made to say what another list says. Where only their order changes each is as it was, and what is
 * between them stays there; what was behind one that goes stays too, white space aside.
 * @param before what the blocks say now
 * @param changed the block with other content; `null`: there was none like it
 */
export function rearranged<A, B>(
  row: BlockRow,
  before: readonly A[],
  after: readonly B[],
  comparison: Comparison<A, B>,
  changed: (former: { readonly said: A; readonly raw: string } | null, latter: B) => string,
): string {
  const own = row.blocks.map(({ raw, gap }, n) => ({ said: before[n]!, raw, gap }));
  const moved = inOrderOf(own, after, ({ said }, other) => comparison.isSame(said, other));
  if (moved !== null) return moved.map(({ raw }, n) => raw + own[n]!.gap).join('');
  const pairs = pairedLists(own, after, {
    isSame: ({ said }, other) => comparison.isSame(said, other),
    mayPair: ({ said }, other) => comparison.mayPair(said, other),
    likeness: ({ said }, other) => comparison.likeness(said, other),
  });
  const pieces = pairs.flatMap(([former, latter]) => {
    const gap = former?.gap ?? '';
    if (latter !== null) return [{ raw: changed(former, latter), gap }];
    return gap.trim() === '' ? [] : [{ raw: gap.trim(), gap: '' }];
  });
  return pieces
    .map(({ raw, gap }, n) => raw + (n < pieces.length - 1 && gap === '' ? GAP : gap))
    .join('')
    .trimEnd();
}
