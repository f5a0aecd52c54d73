import type { Node } from 'prosemirror-model';
import { countBlocks, type ReadText } from '#components/editor/rich-text/read-markdown';
import { schema } from '#components/editor/rich-text/schema';
import { blockText } from '#components/editor/rich-text/write-block';

/** A block on its way into the text. */
interface Written {
  readonly node: Node;
  readonly text: string;
  /** Place in the text that was read; null for a new block. */
  readonly source: number | null;
  /** True if it is as it was read. */
  readonly isUntouched: boolean;
}

/** Place of a block in the text that was read; a list made of a paragraph has that of the paragraph. */
function sourceOf(node: Node): number | null {
  const own: unknown = node.attrs['source'];
  if (typeof own === 'number') return own;
  for (const child of node.isTextblock ? [] : node.children) {
    const found = sourceOf(child);
    if (found !== null) return found;
  }
  return null;
}

const listMarkers = new Map([
  [schema.nodes.bullet_list, ['-', '*', '+']],
  [schema.nodes.ordered_list, ['.', ')']],
]);

function markerOf(block: Written | undefined, type: Node['type']): string | null {
  if (block === undefined || block.node.type !== type) return null;
  return /^[ \t]*(?:[-*+]|\d+[.)])/.exec(block.text)?.[0].slice(-1) ?? null;
}

/** Two lists with the same marks, one after the other, would be one. */
function withOwnMarker(block: Written, neighbours: readonly (Written | undefined)[]): string {
  const { node } = block;
  const markers = listMarkers.get(node.type);
  if (markers === undefined) return block.text;
  const taken = neighbours.map((neighbour) => markerOf(neighbour, node.type));
  const own = String(node.attrs['marker']);
  return blockText(node, [own, ...markers].find((marker) => !taken.includes(marker)) ?? own);
}

function written(read: ReadText, node: Node): Written {
  const source = sourceOf(node);
  const block = read.blocks[source ?? -1];
  const isUntouched = block !== undefined && (block.node === node || block.node.eq(node));
  const text = isUntouched ? block.text : blockText(node).replace(/\r?\n/g, read.lineEnd);
  return { node, text, source, isUntouched };
}

function parts(left: string, gap: string, right: string): boolean {
  return countBlocks(left + gap + right) === countBlocks(left) + countBlocks(right);
}

/** Two blocks and what stands between them: as it was, where it still parts them. */
function joined(read: ReadText, left: Written, text: string, right: Written): string {
  const emptyLine = read.lineEnd + read.lineEnd;
  const isInOrder = left.source !== null && right.source === left.source + 1;
  const gap = (isInOrder ? read.blocks[left.source]?.after : undefined) ?? emptyLine;
  if ((isInOrder && left.isUntouched && right.isUntouched) || parts(left.text, gap, right.text)) {
    return text + gap + right.text;
  }
  if (parts(left.text, emptyLine, right.text)) return text + emptyLine + right.text;
  // Lines that are indented, as code is, would go on with the list above them.
  return text + emptyLine + blockText(right.node).replace(/\r?\n/g, read.lineEnd);
}

/** The text of a block among its neighbours; `isLast`: of the text that was read. */
function textAmong(block: Written, previous: Written | undefined, next: Written | undefined, isLast: boolean): string {
  if (!block.isUntouched) return withOwnMarker(block, [previous, next?.isUntouched === true ? next : undefined]);
  // At the end of a text, code need not be closed; before another block it has to.
  const isOpen = isLast && next !== undefined && block.node.type === schema.nodes.code_block;
  return isOpen ? blockText(block.node) : block.text;
}

/**
 * The Markdown of a text that was read and edited. Blocks that were not changed, and what stands between them, are given
 * back character by character; the others are written anew.
 */
export function writeMarkdown(read: ReadText, doc: Node): string {
  const last = read.blocks.length - 1;
  const blocks = doc.children.map((node) => written(read, node)).filter(({ text }) => text !== '');
  if (blocks.length === 0) return last < 0 ? read.before : '';
  const done: Written[] = [];
  for (const [index, block] of blocks.entries()) {
    const text = textAmong(block, done[index - 1], blocks[index + 1], block.source === last);
    done.push({ ...block, text: text === block.text ? text : text.replace(/\r?\n/g, read.lineEnd) });
  }
  let text = read.before;
  for (const [index, block] of done.entries()) {
    const previous = done[index - 1];
    text = previous === undefined ? text + block.text : joined(read, previous, text, block);
  }
  const after = read.blocks[last]?.after ?? '';
  return text + (done.at(-1)?.source === last ? after : /[\r\n]$/.test(after) ? read.lineEnd : '');
}
