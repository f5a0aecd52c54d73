import type { Element, Root, RootContent } from 'hast';
import type { Root as MarkdownRoot, RootContent as MarkdownNode } from 'mdast';
import rehypeRemark from 'rehype-remark';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { createBoundedCache } from '#server/core/bounded-map';
import type { BlockContext } from '#server/blocks/block-context';
import { sanitized, withAddresses } from '#server/blocks/clean-html';
import {
  attribute,
  childrenOf,
  classesOf,
  elementsWithin,
  findElement,
  isElement,
  mapElements,
  wordsOf,
} from '#server/markup/html-tree';
import { limitedMarkdown, markdownStyle } from '#server/markup/markdown';

const reader = unified().use(remarkParse).use(remarkGfm).use(limitedMarkdown).freeze();
const writer = unified()
  .use(remarkRehype)
  .use(rehypeSanitize, { ...defaultSchema, clobber: [], tagNames: [...(defaultSchema.tagNames ?? []), 'mark'] })
  .freeze();

/** HTML in markdown is words, as on our own site; a footnote's mark too, since its text may be in another block. */
function plain(node: MarkdownNode): MarkdownNode[] {
  if (node.type === 'html') return [{ type: 'text', value: node.value, ...position(node) }];
  if (node.type === 'footnoteReference') return [{ type: 'text', value: `[^${node.label ?? node.identifier}]` }];
  const mapped = 'children' in node ? { ...node, children: node.children.flatMap(plain) } : node;
  if (mapped.type !== 'footnoteDefinition') return [mapped as MarkdownNode];
  const mark: MarkdownNode = { type: 'text', value: `[^${mapped.label ?? mapped.identifier}]: ` };
  return [{ type: 'paragraph', children: [mark], ...position(node) }, ...mapped.children];
}

function position(node: MarkdownNode) {
  return node.position === undefined ? {} : { position: node.position };
}

/** A block of HTML in markdown is a paragraph of words. */
function plainBlock(node: MarkdownNode): MarkdownNode[] {
  if (node.type !== 'html') return plain(node);
  return [{ type: 'paragraph', children: [{ type: 'text', value: node.value }], ...position(node) }];
}

/**
 * Number of parsed texts that are kept: one edit reads the text before and after it, and its markup as markdown,
 * several times.
 */
const KEPT_TREES = 4;
const kept = createBoundedCache<MarkdownRoot>(KEPT_TREES);

/** The blocks of a markdown text, not to be changed: trees are kept. Their positions are offsets in the text. */
export function readMarkdown(markdown: string): MarkdownRoot {
  return kept(markdown, () => reader.parse(markdown));
}

/** Markdown as a tree of HTML without anything unsafe; the top elements have the positions of their markdown. */
export function markdownToHtml(markdown: string): Root {
  const tree = readMarkdown(markdown);
  return writer.runSync({ ...tree, children: tree.children.flatMap(plainBlock) });
}

const BLOCK_TAGS =
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr table thead tbody tfoot tr td th div section article figure figcaption address';
const INLINE_TAGS =
  'a strong b em i u mark small ins del s strike code kbd samp var tt cite q abbr sub sup br img font center time dfn span big';
/**
 * Elements that markdown has, or that it can do without (small print, underlining); all others are an `html` section.
 */
const FLOW_TAGS = new Set(`${BLOCK_TAGS} ${INLINE_TAGS}`.split(' '));
const LINES_ONLY = new Set(INLINE_TAGS.split(' '));

function isBeyondMarkdown(element: Element): boolean {
  const { tagName, properties } = element;
  if (!FLOW_TAGS.has(tagName)) return true;
  if (tagName === 'td' || tagName === 'th') {
    const spans = [properties['colSpan'], properties['rowSpan']].some((span) => span !== undefined && span !== 1);
    return (
      spans ||
      findElement({ type: 'root', children: element.children }, (inner) => !LINES_ONLY.has(inner.tagName)) !== undefined
    );
  }
  // Columns, covers and the like: their parts have places.
  return tagName === 'div' && classesOf(element).some((name) => name.startsWith('wp-block-'));
}

/** Markdown headings of a section begin two below the page's own, see components/content/text/safe-html. */
function markdownHeading(tagName: string): string {
  return `h${Math.max(1, Number(tagName[1]) - 2)}`;
}

function brokenAtLines(nodes: readonly RootContent[]): RootContent[] {
  return nodes.flatMap((node): RootContent[] => {
    if (node.type !== 'text') return [node];
    const lines = node.value.replace(/^\n|\n$/g, '').split('\n');
    return lines.flatMap((value, index): RootContent[] => [
      ...(index === 0 ? [] : [{ type: 'element' as const, tagName: 'br', properties: {}, children: [] }]),
      { type: 'text', value },
    ]);
  });
}

function prepared(element: Element): RootContent[] {
  const { tagName, properties } = element;
  if (/^h[1-6]$/.test(tagName)) return [{ ...element, tagName: markdownHeading(tagName) }];
  if (tagName === 'a' && properties['href'] === undefined) return element.children;
  if (tagName === 'div' || tagName === 'section' || tagName === 'article' || tagName === 'center') {
    return [{ ...element, tagName: 'div' }];
  }
  const align = /^t[dh]$/.test(tagName) ? attribute(element, 'dataAlign') : undefined;
  if (align !== undefined) return [{ ...element, properties: { align } }];
  if (tagName !== 'pre') return [element];
  if (classesOf(element).includes('wp-block-verse')) {
    return [{ ...element, tagName: 'p', children: brokenAtLines(element.children) as Element['children'] }];
  }
  const language = classesOf(element).find((name) => name.startsWith('language-'));
  const [code] = element.children;
  if (language === undefined || code?.type !== 'element') return [element];
  return [{ ...element, children: [{ ...code, properties: { className: [language] } }] }];
}

const toMarkdownTree = unified().use(rehypeRemark).freeze();
const markdownWriter = unified().use(remarkStringify, markdownStyle).use(remarkGfm).freeze();

/** Markdown of blocks, one after another; lists in a row keep apart. */
export function writeMarkdown(nodes: readonly MarkdownNode[]): string {
  return markdownWriter.stringify({ type: 'root', children: [...nodes] }).trimEnd();
}

/** The longest body of a text, see server/core/section-fields; what is longer would be HTML in any case. */
const MAX_LENGTH = 50_000;

/** Characters of a cell in markdown, addresses included; roughly. */
function cellLength(cell: Element): number {
  const addresses = [cell, ...elementsWithin(cell)].map(
    (element) => attribute(element, 'href') ?? attribute(element, 'src'),
  );
  return addresses.reduce((sum, address) => sum + (address?.length ?? 0), wordsOf(cell).length + 3);
}

/** Length of a table in markdown, where each row has all columns and each column is as wide as its widest cell. */
function paddedLength(table: Element): number {
  if (table.tagName !== 'table') return 0;
  const rows = elementsWithin(table).filter(({ tagName }) => tagName === 'tr');
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.children.filter((node) => isElement(node)).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cellLength(cell));
    }
  }
  return rows.length * widths.reduce((sum, width) => sum + width, 0);
}

function letters(text: string): string {
  return text.replace(/[\s\u200b]+/g, '');
}

/** Running text as markdown. */
export interface Flow {
  readonly nodes: readonly MarkdownNode[];
  /** The nodes as text. */
  readonly markdown: string;
}

/**
 * HTML as markdown blocks; null where markdown cannot say it: elements that it does not have, cells that span others,
 * or any word lost on the way (checked on the result). Colours, alignment and the like go. `tree` as it was parsed.
 */
export function htmlToMarkdown(tree: Root, context: BlockContext): Flow | null {
  if (tree.children.some((node) => findElement(node, isBeyondMarkdown) !== undefined)) return null;
  const words = childrenOf(tree).map(wordsOf).join('');
  const isTooLong =
    words.length + elementsWithin(tree).reduce((sum, table) => sum + paddedLength(table), 0) > MAX_LENGTH;
  if (isTooLong) return null;
  const dataAligned = mapElements(tree.children, (element) => prepared(element));
  const clean = withAddresses(sanitized({ type: 'root', children: dataAligned }), (href) => context.toLocal(href));
  const ready = mapElements(clean.children, (element) =>
    element.tagName === 'a' && attribute(element, 'href') === undefined ? element.children : [element],
  );
  const result: MarkdownRoot = toMarkdownTree.runSync({ type: 'root', children: ready });
  const markdown = writeMarkdown(result.children);
  const isWhole = letters(wordsOf(markdownToHtml(markdown))) === letters(words);
  return isWhole ? { nodes: result.children, markdown } : null;
}
