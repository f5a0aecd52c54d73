import type {
  BlockContent,
  DefinitionContent,
  ListItem,
  PhrasingContent,
  Root,
  RootContent,
  Table,
  TableCell,
} from 'mdast';
import { Fragment, type Mark, type Node } from 'prosemirror-model';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { type ColumnAlignment, schema } from '#components/editor/rich-text/schema.ts';
import { markdownStyle, remarkMarkdown } from '#server/markup/markdown-dialect';

/** A piece of running text with the same marks. */
interface Piece {
  readonly node: Node;
  readonly text: string;
  readonly marks: readonly Mark[];
}

/** Splits the text of a block into words and spaces; removes spaces at both ends and around line breaks. */
function piecesOf(block: Node): Piece[] {
  const pieces: Piece[] = [];
  block.forEach((node) => {
    const parts = node.isText ? (node.text ?? '').split(/(\s+)/).filter((part) => part !== '') : [''];
    for (const text of parts) pieces.push({ node, text, marks: node.marks });
  });
  const isBreak = (piece: Piece | undefined) => piece?.node.type === schema.nodes.hard_break;
  const kept: Piece[] = [];
  for (const piece of pieces) {
    if (isBreak(piece)) while (isSpace(kept.at(-1))) kept.pop();
    if (!isSpace(piece) || (kept.length > 0 && !isBreak(kept.at(-1)))) kept.push(piece);
  }
  // A line break at the end would become a backslash.
  while (isSpace(kept.at(-1)) || isBreak(kept.at(-1))) kept.pop();
  return kept;
}

function isSpace(piece: Piece | undefined): boolean {
  return piece !== undefined && /^[ \t\r\n]+$/.test(piece.text) && !isCode(piece);
}

/** A picture within code stays a picture. */
function isCode({ node, marks }: Piece): boolean {
  return node.isText && marks.some(({ type }) => type === schema.marks.code);
}

/** Markdown has no emphasis that begins or ends with a space, so such marks are trimmed to the words. */
function withoutLooseEnds(pieces: readonly Piece[]): Piece[] {
  const result = [...pieces];
  for (const type of [schema.marks.em, schema.marks.strong, schema.marks.strike, schema.marks.link]) {
    const markOf = (piece: Piece | undefined) => piece?.marks.find((mark) => mark.type === type);
    const isLoose = (index: number, before: number) => {
      const piece = result[index];
      const mark = markOf(piece);
      if (piece === undefined || mark === undefined || isCode(piece)) return false;
      if (piece.node.type !== schema.nodes.hard_break && !/^\s+$/.test(piece.text)) return false;
      return !markOf(result[index + before])?.eq(mark);
    };
    const strip = (index: number) => {
      const piece = result[index];
      if (piece) result[index] = { ...piece, marks: piece.marks.filter((mark) => mark.type !== type) };
    };
    for (let index = 0; index < result.length; index += 1) if (isLoose(index, -1)) strip(index);
    for (let index = result.length - 1; index >= 0; index -= 1) if (isLoose(index, 1)) strip(index);
  }
  return result;
}

function leaf({ node, text, marks }: Piece): PhrasingContent {
  const { attrs } = node;
  switch (node.type) {
    case schema.nodes.hard_break:
      return { type: 'break' };
    case schema.nodes.image:
      return { type: 'image', url: String(attrs['src']), alt: String(attrs['alt']), title: titleOf(node) };
    case schema.nodes.inline_source:
      return { type: 'html', value: String(attrs['text']) };
    default:
      return { type: 'text', value: schema.marks.line_end.isInSet(marks) && text === ' ' ? '\n' : text };
  }
}

function titleOf({ attrs }: Node | Mark): string | null {
  const title: unknown = attrs['title'];
  return typeof title === 'string' ? title : null;
}

function wrapped(mark: Mark, children: PhrasingContent[]): PhrasingContent {
  switch (mark.type) {
    case schema.marks.em:
      return { type: 'emphasis', children };
    case schema.marks.strong:
      return { type: 'strong', children };
    case schema.marks.strike:
      return { type: 'delete', children };
    default:
      return { type: 'link', url: String(mark.attrs['href']), title: titleOf(mark), children };
  }
}

function isSame(a: PhrasingContent | undefined, b: PhrasingContent): boolean {
  return a !== undefined && a.type === b.type && (a.type === 'text' || a.type === 'inlineCode');
}

/**
 * Converts pieces to inline nodes of Markdown: the mark with the longest range is outermost.
 * @param done marks that surrounding nodes already express
 */
function phrases(pieces: readonly Piece[], done: readonly Mark[]): PhrasingContent[] {
  const result: PhrasingContent[] = [];
  const add = (node: PhrasingContent) => {
    const last = result.at(-1);
    if (isSame(last, node)) result[result.length - 1] = { ...last, value: `${valueOf(last)}${valueOf(node)}` } as never;
    else result.push(node);
  };
  for (let at = 0; at < pieces.length;) {
    const piece = pieces[at];
    if (piece === undefined) break;
    const open = piece.marks.filter((mark) => ranks.some((type) => type === mark.type) && !mark.isInSet(done));
    const reach = (mark: Mark) => {
      let end = at;
      while (pieces[end] !== undefined && mark.isInSet(pieces[end]?.marks ?? [])) end += 1;
      return end;
    };
    const [outer] = open.toSorted((a, b) => reach(b) - reach(a) || rankOf(a) - rankOf(b));
    if (outer === undefined) {
      add(isCode(piece) ? { type: 'inlineCode', value: piece.text } : leaf(piece));
      at += 1;
    } else {
      const end = reach(outer);
      add(wrapped(outer, phrases(pieces.slice(at, end), [...done, outer])));
      at = end;
    }
  }
  return result;
}

/** Marks from the outermost to the innermost, for ranges of equal length. */
const ranks = [schema.marks.link, schema.marks.strike, schema.marks.strong, schema.marks.em];

function rankOf(mark: Mark): number {
  return ranks.indexOf(mark.type);
}

function valueOf(node: PhrasingContent | undefined): string {
  return node !== undefined && 'value' in node ? node.value : '';
}

function phrasesOf(block: Node): PhrasingContent[] {
  return phrases(withoutLooseEnds(piecesOf(block)), []);
}

function withoutLineEnds(block: Node): Node {
  const nodes = block.children.map((node) => node.mark(schema.marks.line_end.removeFromSet(node.marks)));
  return block.copy(Fragment.from(nodes));
}

function isEmptyParagraph(node: Node): boolean {
  return node.type === schema.nodes.paragraph && phrasesOf(node).length === 0;
}

function contentOf(node: Node): (BlockContent | DefinitionContent)[] {
  return node.children
    .filter((child) => !isEmptyParagraph(child))
    .map((child) => blockOf(child) as BlockContent | DefinitionContent);
}

function listOf(node: Node): RootContent {
  const spread = node.attrs['isTight'] !== true;
  const children = node.children.map((item): ListItem => ({ type: 'listItem', spread, children: contentOf(item) }));
  const isOrdered = node.type === schema.nodes.ordered_list;
  return {
    type: 'list',
    ordered: isOrdered,
    spread,
    children,
    ...(isOrdered && { start: Number(node.attrs['start']) }),
  };
}

/**
 * Adapts running text to a cell: a pipe in HTML or another source would end the cell, and code in a cell cannot have a
 * backslash before a pipe, so such code becomes text.
 */
function inCell(node: PhrasingContent): PhrasingContent {
  if (node.type === 'html') return { ...node, value: node.value.replace(/(?<!\\)\|/g, '\\|') };
  if (node.type === 'inlineCode' && node.value.includes('\\|')) return { type: 'text', value: node.value };
  return 'children' in node ? { ...node, children: node.children.map(inCell) } : node;
}

/** A row as a table of its own; the alignment of its cells is that of the columns. */
function rowOf(row: Node): Table {
  const cells = row.children.map((cell): TableCell => ({
    type: 'tableCell',
    children: phrasesOf(withoutLineEnds(cell)).map(inCell),
  }));
  return {
    type: 'table',
    align: row.children.map(({ attrs }) => attrs['align'] as ColumnAlignment),
    children: [{ type: 'tableRow', children: cells }],
  };
}

/** Lines of rows: of the row, and of the alignment below a header. Writing all rows for each character would be slow. */
const rowLines = new WeakMap<Node, readonly [string, string]>();

function linesOf(row: Node): readonly [string, string] {
  const known = rowLines.get(row);
  if (known) return known;
  const [line = '', alignment = ''] = writerOf('-', '.')
    .stringify({ type: 'root', children: [rowOf(row)] })
    .split('\n');
  rowLines.set(row, [line, alignment]);
  return [line, alignment];
}

function tableText(table: Node): string {
  return table.children.flatMap((row, index) => linesOf(row).slice(0, index === 0 ? 2 : 1)).join('\n');
}

function blockOf(node: Node): RootContent {
  switch (node.type) {
    case schema.nodes.heading: {
      const depth = Number(node.attrs['level']) as 1 | 2 | 3 | 4 | 5 | 6;
      // A heading is a single line.
      return { type: 'heading', depth, children: phrasesOf(withoutLineEnds(node)) };
    }
    case schema.nodes.blockquote:
      return { type: 'blockquote', children: contentOf(node) };
    case schema.nodes.bullet_list:
    case schema.nodes.ordered_list:
      return listOf(node);
    case schema.nodes.code_block: {
      const [, lang = null, meta = null] = /^(\S+)(?:\s+(.*))?$/.exec(String(node.attrs['info'])) ?? [];
      return { type: 'code', lang, meta, value: node.textContent };
    }
    case schema.nodes.horizontal_rule:
      return { type: 'thematicBreak' };
    case schema.nodes.source:
      return { type: 'html', value: node.textContent };
    default:
      return { type: 'paragraph', children: phrasesOf(node) };
  }
}

function writerWith(bullet: '-' | '*' | '+', bulletOrdered: '.' | ')') {
  return unified()
    .use(remarkStringify, { ...markdownStyle, bullet, bulletOrdered })
    .use(remarkMarkdown, { alignsTables: false })
    .freeze();
}

const writers = new Map<string, ReturnType<typeof writerWith>>();

function writerOf(bullet: '-' | '*' | '+', delimiter: '.' | ')') {
  const key = `${bullet}${delimiter}`;
  const writer = writers.get(key) ?? writerWith(bullet, delimiter);
  writers.set(key, writer);
  return writer;
}

/**
 * One block as Markdown, in the style of `markdownStyle`; empty for a paragraph without text.
 * @param marker marker of a list. Default: the marker that the list was read with, or `-`; another one keeps a list
 *   apart from the list next to it
 */
export function blockText(node: Node, marker = String(node.attrs['marker'] ?? '-')): string {
  if (isEmptyParagraph(node)) return '';
  if (node.type === schema.nodes.source) return node.textContent;
  if (node.type === schema.nodes.table) return tableText(node);
  const bullet = marker === '*' || marker === '+' ? marker : '-';
  const delimiter = marker === ')' ? ')' : '.';
  const root: Root = { type: 'root', children: [blockOf(node)] };
  return writerOf(bullet, delimiter).stringify(root).replace(/\n+$/, '');
}
