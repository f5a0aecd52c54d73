import { cutBlocks } from '#server/wordpress/blocks/source/block-scan';
import { type Comparison, inOrderOf, pairedLists } from '#server/wordpress/blocks/paired-lists';
import type { Range } from '#server/wordpress/blocks/source/source-places';

/* Rearranges the blocks inside another block without changing the markup between them more than needed. */

/** A block inside another one. */
interface RowBlock {
  readonly name: string;
  readonly raw: string;
  /** The markup between it and the next block: white space, comments, blocks that are not relevant here. */
  readonly gap: string;
}

/** The blocks inside another one. Its parts joined are the source. */
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

/**
 * The row with only the blocks that have these names in this order; other blocks become part of the markup between them.
 * Null if the row does not have all of them.
 */
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

/** Separator of new blocks. */
const GAP = '\n\n';

/**
 * Changes the blocks of a row to match another list. If only their order changes, each block is kept unchanged and the
 * markup between them keeps its place; the markup after a removed block is kept, too, except white space.
 * @param before current content of the blocks
 * @param changed the block with other content; `null`: the row had no such block
 */
export function rearranged<A, B>(
  row: BlockRow,
  before: readonly A[],
  after: readonly B[],
  comparison: Comparison<A, B>,
  changed: (former: { readonly content: A; readonly raw: string } | null, latter: B) => string,
): string {
  const own = row.blocks.map(({ raw, gap }, n) => ({ content: before[n]!, raw, gap }));
  const moved = inOrderOf(own, after, ({ content }, other) => comparison.isSame(content, other));
  if (moved !== null) return moved.map(({ raw }, n) => raw + own[n]!.gap).join('');
  const pairs = pairedLists(own, after, {
    isSame: ({ content }, other) => comparison.isSame(content, other),
    mayPair: ({ content }, other) => comparison.mayPair(content, other),
    similarity: ({ content }, other) => comparison.similarity(content, other),
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
