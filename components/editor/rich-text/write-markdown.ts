import type { Node } from 'prosemirror-model';
import { countBlocks, type ReadText } from '#components/editor/rich-text/read-markdown.ts';
import { schema } from '#components/editor/rich-text/schema.ts';
import { blockText } from '#components/editor/rich-text/write-block.ts';

/** A block to be written. */
interface Written {
  readonly node: Node;
  readonly text: string;
  /** Index in the parsed text; null for a new block. */
  readonly source: number | null;
  /** True if the block was not edited: its original characters are returned. */
  readonly isUntouched: boolean;
}

/** Index of a block in the parsed text; a list made from a paragraph has that of the paragraph. */
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

/** Chooses another marker for consecutive lists, which would otherwise be joined. */
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

/** True if a gap keeps two blocks apart: as one text they are parsed to the same number of blocks. */
function separates(left: Written, gap: string, right: Written): boolean {
  const { table, source, code_block: code } = schema.nodes;
  const isAfterOpen = left.node.type === source || left.node.type === code;
  // An empty line ends a table, and begins one except in HTML or code that is not closed. Parsing long ones is slow.
  const isTable = left.node.type === table || (right.node.type === table && !isAfterOpen);
  if (isTable && /\n[ \t]*\r?\n/.test(gap)) return true;
  return countBlocks(left.text + gap + right.text) === countBlocks(left.text) + countBlocks(right.text);
}

/**
 * Appends a block to a text, with the original separator of the two blocks if it still separates them, else with an
 * empty line.
 * @param text the text so far, which ends with the block `left`
 */
function appendBlock(read: ReadText, left: Written, text: string, right: Written): string {
  const emptyLine = read.lineEnd + read.lineEnd;
  const isInOrder = left.source !== null && right.source === left.source + 1;
  const gap = (isInOrder ? read.blocks[left.source]?.after : undefined) ?? emptyLine;
  if ((isInOrder && left.isUntouched && right.isUntouched) || separates(left, gap, right)) {
    return text + gap + right.text;
  }
  if (separates(left, emptyLine, right)) return text + emptyLine + right.text;
  // Indented lines, such as code, would become part of the list above them.
  return text + emptyLine + blockText(right.node).replace(/\r?\n/g, read.lineEnd);
}

/** The text of a block among its neighbours; `isLast`: of the parsed text. */
function textAmong(block: Written, previous: Written | undefined, next: Written | undefined, isLast: boolean): string {
  if (!block.isUntouched) return withOwnMarker(block, [previous, next?.isUntouched === true ? next : undefined]);
  // At the end of a text, code need not be closed; before another block it must be.
  const isOpen = isLast && next !== undefined && block.node.type === schema.nodes.code_block;
  return isOpen ? blockText(block.node) : block.text;
}

/**
 * The Markdown of a parsed and edited text. Unchanged blocks and their separators are returned character by character;
 * the others are generated.
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
    text = previous === undefined ? text + block.text : appendBlock(read, previous, text, block);
  }
  const after = read.blocks[last]?.after ?? '';
  return text + (done.at(-1)?.source === last ? after : /[\r\n]$/.test(after) ? read.lineEnd : '');
}
