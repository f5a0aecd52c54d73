import type { ListItem, Nodes, Root, RootContent, Table, TableCell } from 'mdast';
import type { Mark, Node, NodeType } from 'prosemirror-model';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { schema } from '#components/editor/rich-text/schema.ts';
import { blockText } from '#components/editor/rich-text/write-block.ts';
import { limitedMarkdown } from '#server/markup/markdown-limits';
import { remarkMarkdown } from '#server/markup/markdown-dialect';

const reader = unified().use(remarkParse).use(remarkMarkdown).use(limitedMarkdown).freeze();

/** A parsed block of the text. */
interface ReadBlock {
  readonly node: Node;
  /** Markdown of the block, from the beginning of its first line. */
  readonly text: string;
  /** Text between the block and the next one, or the end of the text. */
  readonly after: string;
}

/** A Markdown text that was parsed for editing. */
export interface ReadText {
  readonly doc: Node;
  /** Text before the first block. */
  readonly before: string;
  readonly blocks: readonly ReadBlock[];
  /** Line ending of the text. */
  readonly lineEnd: '\n' | '\r\n';
}

/** Thrown if a block contains something that the editor cannot represent. */
class NotRepresentable extends Error {}

function slice(markdown: string, { position }: Nodes): string {
  const [from, to] = [position?.start.offset, position?.end.offset];
  if (from === undefined || to === undefined) throw new NotRepresentable('The node has no position.');
  return markdown.slice(from, to);
}

function inlineSource(markdown: string, node: Nodes): Node {
  const text = slice(markdown, node);
  // In a list or a quotation, the next line starts with their markers.
  if (/[\r\n]/.test(text)) throw new NotRepresentable('The source continues in the next line.');
  return schema.nodes.inline_source.create({ text });
}

/**
 * Text nodes with a marked space for each line end, because the site shows a line end within a paragraph as a space.
 */
function textNodes(text: string, marks: readonly Mark[]): Node[] {
  const lineEnd = schema.text(' ', schema.marks.line_end.create().addToSet(marks));
  return text
    .split(/[ \t]*(?:\r\n?|\n)[ \t]*/)
    .flatMap((line, index) => [...(index === 0 ? [] : [lineEnd]), ...(line === '' ? [] : [schema.text(line, marks)])]);
}

/** Nodes of running text, with the marks of the surrounding nodes. */
function inlineNodes(markdown: string, nodes: readonly Nodes[], marks: readonly Mark[]): Node[] {
  return nodes.flatMap((node): Node[] => {
    const within = (mark: Mark) =>
      'children' in node ? inlineNodes(markdown, node.children, mark.addToSet(marks)) : [];
    switch (node.type) {
      case 'text':
        return textNodes(node.value, marks);
      case 'inlineCode':
        return node.value === '' ? [] : [schema.text(node.value, schema.marks.code.create().addToSet(marks))];
      case 'emphasis':
        return within(schema.marks.em.create());
      case 'strong':
        return within(schema.marks.strong.create());
      case 'delete':
        return within(schema.marks.strike.create());
      case 'link':
        return within(schema.marks.link.create({ href: node.url, title: node.title ?? null }));
      case 'break':
        return [schema.nodes.hard_break.create(null, null, marks)];
      case 'image':
        return [
          schema.nodes.image.create({ src: node.url, alt: node.alt ?? '', title: node.title ?? null }, null, marks),
        ];
      default:
        return [inlineSource(markdown, node).mark(marks)];
    }
  });
}

function itemNode(markdown: string, item: ListItem): Node {
  if (typeof item.checked === 'boolean') throw new NotRepresentable('The item has a check box.');
  const children = item.children.map((child) => blockNode(markdown, child));
  return schema.nodes.list_item.create(null, children.length === 0 ? schema.nodes.paragraph.create() : children);
}

/** A table as rows of the same length: Markdown fills short rows, and does not show cells beyond the header's. */
function tableNode(markdown: string, { align, children: [head, ...body] }: Table): Node {
  const { nodes } = schema;
  const width = head?.children.length ?? 0;
  const row = (cells: readonly TableCell[], type: NodeType) => {
    if (cells.length > width) throw new NotRepresentable('The row is longer than the header.');
    return nodes.table_row.createChecked(
      null,
      Array.from({ length: width }, (_, column) =>
        type.createChecked(
          { align: align?.[column] ?? null },
          inlineNodes(markdown, cells[column]?.children ?? [], []),
        ),
      ),
    );
  };
  return nodes.table.createChecked(null, [
    row(head?.children ?? [], nodes.table_header),
    ...body.map(({ children }) => row(children, nodes.table_cell)),
  ]);
}

/** @throws NotRepresentable */
function blockNode(markdown: string, node: RootContent, isTop = false): Node {
  const { nodes } = schema;
  switch (node.type) {
    case 'paragraph':
      return nodes.paragraph.create(null, inlineNodes(markdown, node.children, []));
    case 'heading':
      return nodes.heading.create({ level: node.depth }, inlineNodes(markdown, node.children, []));
    case 'blockquote':
      return nodes.blockquote.createChecked(
        null,
        node.children.map((child) => blockNode(markdown, child)),
      );
    case 'list': {
      const isTight = !node.children.some(({ spread }) => spread === true) && node.spread !== true;
      const [first] = /^[ \t]*(?:[-*+]|\d+[.)])/.exec(slice(markdown, node)) ?? ['-'];
      // For a single list within another the marker has no meaning.
      const attrs = {
        isTight,
        ...(isTop && { marker: first.slice(-1) }),
        ...(node.ordered === true && { start: node.start ?? 1 }),
      };
      const type = node.ordered === true ? nodes.ordered_list : nodes.bullet_list;
      return type.createChecked(
        attrs,
        node.children.map((item) => itemNode(markdown, item)),
      );
    }
    case 'code': {
      const info = [node.lang, node.meta].filter((part) => part !== null && part !== undefined).join(' ');
      return nodes.code_block.create({ info }, node.value === '' ? null : schema.text(node.value));
    }
    case 'thematicBreak':
      return nodes.horizontal_rule.create();
    case 'table':
      if (isTop) return tableNode(markdown, node);
      throw new NotRepresentable('The table is in a list or a quotation.');
    default:
      throw new NotRepresentable('The editor has no such block.');
  }
}

function parse(markdown: string): Root {
  return reader.parse(markdown);
}

/** Number of blocks of a Markdown text. */
export function countBlocks(markdown: string): number {
  return parse(markdown).children.length;
}

/**
 * True for a text that is too long to parse, which is returned as one paragraph without positions, see limitedMarkdown.
 */
function isUnread({ children: [first] }: Root): boolean {
  return first?.type === 'paragraph' && first.children[0] !== undefined && first.children[0].position === undefined;
}

/**
 * The editable form of a block; null if the editor cannot represent it, or if parsing it again would give a different
 * result.
 * @param definitions addresses and footnotes of the text, to which a paragraph may refer
 */
function editableNode(markdown: string, block: RootContent, definitions: string): Node | null {
  try {
    const node = blockNode(markdown, block, true);
    const written = `${blockText(node)}\n\n${definitions}`;
    const {
      children: [again],
    } = parse(written);
    return again !== undefined && blockNode(written, again, true).eq(node) ? node : null;
  } catch (error) {
    if (error instanceof NotRepresentable || error instanceof RangeError) return null;
    throw error;
  }
}

function sourceNode(text: string): Node {
  return schema.nodes.source.create(null, text === '' ? null : schema.text(text));
}

function withSource(node: Node, index: number): Node {
  return node.type.create({ ...node.attrs, source: index }, node.content, node.marks);
}

/** Start of the line of a position, if only spaces precede the position. */
function lineStart(markdown: string, offset: number): number {
  const [indent = ''] = /[ \t]*$/.exec(markdown.slice(Math.max(0, offset - 1_000), offset)) ?? [];
  const start = offset - indent.length;
  return start === 0 || /[\r\n]/.test(markdown[start - 1] ?? '') ? start : offset;
}

/** The position itself, or the beginning of the first non-empty line after it. */
function firstLine(markdown: string, offset: number): number {
  const [empty = ''] = /^(?:[ \t]*(?:\r\n|\r|\n))*/.exec(markdown.slice(offset)) ?? [];
  return offset + empty.length;
}

/** Parses a Markdown text for editing: block by block, each with its original characters. */
export function readMarkdown(markdown: string): ReadText {
  const mark = markdown.startsWith('\ufeff') ? '\ufeff' : '';
  const text = markdown.slice(mark.length);
  const root = parse(text);
  const isPlain = isUnread(root);
  const definitions = root.children
    .filter(({ type }) => type === 'definition' || type === 'footnoteDefinition')
    .map((node) => slice(text, node))
    .join('\n\n');

  const places: { readonly from: number; readonly to: number }[] = [];
  for (const { position } of root.children) {
    const start = isPlain ? 0 : lineStart(text, position?.start.offset ?? 0);
    // The parser lets a heading that follows a definition begin with the definition.
    const from = firstLine(text, Math.max(start, places.at(-1)?.to ?? 0));
    const to = Math.max(from, isPlain ? text.length : (position?.end.offset ?? text.length));
    // In unclosed code in a list, the line end is part of the code.
    const [empty = ''] = /[\r\n][ \t\r\n]*$/.exec(text.slice(from, to)) ?? [];
    places.push({ from, to: to - empty.length });
  }
  const blocks = root.children.map((block, index): ReadBlock => {
    const { from, to } = places[index] ?? { from: 0, to: 0 };
    const own = text.slice(from, to);
    const form = isPlain ? null : editableNode(text, block, definitions);
    return {
      node: withSource(form ?? sourceNode(own), index),
      text: own,
      after: text.slice(to, places[index + 1]?.from ?? text.length),
    };
  });
  const nodes = blocks.map(({ node }) => node);
  return {
    doc: schema.nodes.doc.createChecked(null, nodes.length === 0 ? schema.nodes.paragraph.create() : nodes),
    before: mark + text.slice(0, places[0]?.from ?? text.length),
    blocks,
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
