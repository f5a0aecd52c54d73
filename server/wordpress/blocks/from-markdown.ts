import type { Element, Root, RootContent } from 'hast';
import type { Root as MarkdownRoot, RootContent as MarkdownNode } from 'mdast';
import rehypeRemark from 'rehype-remark';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkRehype from 'remark-rehype';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import type { BlockContext } from '#server/wordpress/blocks/block-context';
import { isVerse } from '#server/wordpress/blocks/block-reader';
import { sanitized, withAddresses } from '#server/wordpress/blocks/clean-html';
import {
  attribute,
  childrenOf,
  classesOf,
  elementsOf,
  elementsWithin,
  findElement,
  isElement,
  mapElements,
  wordsOf,
} from '#server/markup/html-tree';
import { markdownStyle, remarkMarkdown } from '#server/markup/markdown-dialect';
import { readMarkdown } from '#server/markup/read-markdown';
import { htmlRules } from '#server/markup/sanitize-rules';
import { block, headingBlock, imageBlock, inRow, paragraphBlock } from '#server/wordpress/blocks/block-markup';
import { htmlOf } from '#server/markup/write-html';

const writer = unified()
  .use(remarkRehype)
  .use(rehypeSanitize, {
    ...defaultSchema,
    clobber: [],
    tagNames: [...(defaultSchema.tagNames ?? []), 'mark'],
    // The same protocols as when HTML is read, so that what is shown as a link remains one.
    protocols: { ...defaultSchema.protocols, ...htmlRules.protocols },
  })
  .freeze();

/**
 * HTML in Markdown becomes text, as on our own site; a footnote's mark too, because its text may be in another block.
 */
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

/** A block of HTML in Markdown becomes a paragraph of text. */
function plainBlock(node: MarkdownNode): MarkdownNode[] {
  if (node.type !== 'html') return plain(node);
  return [{ type: 'paragraph', children: [{ type: 'text', value: node.value }], ...position(node) }];
}

/** Markdown as a tree of HTML without anything unsafe; the top-level elements have the positions of their Markdown. */
export function markdownToHtml(markdown: string): Root {
  const tree = readMarkdown(markdown);
  return writer.runSync({ ...tree, children: tree.children.flatMap(plainBlock) });
}

const BLOCK_TAGS =
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr table thead tbody tfoot tr td th div section article figure figcaption address';
const INLINE_TAGS =
  'a strong b em i u mark small ins del s strike code kbd samp var tt cite q abbr br img font center time dfn span big';
/**
 * Elements that Markdown supports, or that can be dropped (small print, underlining). All others become an `html`
 * section, for example superscript and subscript, without which 10³ would become 103.
 */
const FLOW_TAGS = new Set(`${BLOCK_TAGS} ${INLINE_TAGS}`.split(' '));
const LINES_ONLY = new Set(INLINE_TAGS.split(' '));

function isBeyondMarkdown(element: Element): boolean {
  const { tagName, properties } = element;
  if (!FLOW_TAGS.has(tagName)) return true;
  if (tagName === 'ol' && (properties['reversed'] === true || attribute(element, 'type') !== undefined)) return true;
  if (tagName === 'li' && attribute(element, 'value') !== undefined) return true;
  if (tagName === 'td' || tagName === 'th') {
    const spans = [properties['colSpan'], properties['rowSpan']].some((span) => span !== undefined && span !== 1);
    return (
      spans ||
      findElement({ type: 'root', children: element.children }, (inner) => !LINES_ONLY.has(inner.tagName)) !== undefined
    );
  }
  // Columns, covers and similar blocks, whose parts have positions.
  return tagName === 'div' && classesOf(element).some((name) => name.startsWith('wp-block-'));
}

/** Markdown headings of a section begin two levels below the page's own, see components/content/text/safe-html. */
function markdownHeading(tagName: string): string {
  return `h${Math.max(1, Number(tagName[1]) - 2)}`;
}

/** Nodes with an element for each line break; line breaks at both ends of a text are not shown. */
function brokenAtLines(nodes: readonly RootContent[], isWhole = true): RootContent[] {
  return nodes.flatMap((node, at): RootContent[] => {
    if (isElement(node)) return [{ ...node, children: brokenAtLines(node.children, false) as Element['children'] }];
    if (node.type !== 'text') return [node];
    const start = isWhole && at === 0 ? node.value.replace(/^\n/, '') : node.value;
    const lines = (isWhole && at === nodes.length - 1 ? start.replace(/\n$/, '') : start).split('\n');
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
  if (isVerse(element)) {
    return [{ ...element, tagName: 'p', children: brokenAtLines(element.children) as Element['children'] }];
  }
  const language = classesOf(element).find((name) => name.startsWith('language-'));
  const [code] = element.children;
  if (language === undefined || code?.type !== 'element') return [element];
  return [{ ...element, children: [{ ...code, properties: { className: [language] } }] }];
}

const toMarkdownTree = unified().use(rehypeRemark).freeze();
const markdownWriter = unified().use(remarkStringify, markdownStyle).use(remarkMarkdown).freeze();

/** Markdown of consecutive blocks; consecutive lists remain separate. */
export function writeMarkdown(nodes: readonly MarkdownNode[]): string {
  return markdownWriter.stringify({ type: 'root', children: [...nodes] }).trimEnd();
}

/** Longest body of a text, see sections/text/fields; a longer one would become HTML in any case. */
const MAX_LENGTH = 50_000;

/** Largest number of empty inline elements; for each, the converter searches all elements after it. */
const MAX_EMPTY_ELEMENTS = 200;
const EMPTY_INLINE = [
  'a',
  'abbr',
  'b',
  'code',
  'del',
  'em',
  'i',
  'ins',
  'mark',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
];

const isEmptyInline = (element: Element) => element.children.length === 0 && isElement(element, ...EMPTY_INLINE);

/** Approximate length of a cell in Markdown, addresses included; characters. */
function cellLength(cell: Element): number {
  const addresses = [cell, ...elementsWithin(cell)].map(
    (element) => attribute(element, 'href') ?? attribute(element, 'src'),
  );
  return addresses.reduce((sum, address) => sum + (address?.length ?? 0), wordsOf(cell).length + 3);
}

/** Length of a table in Markdown, where each row has all columns and each column is as wide as its widest cell. */
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
 * HTML as Markdown blocks; null if Markdown cannot represent it: unsupported elements, cells that span others, or any
 * word lost in the conversion (the result is checked). Colours, alignment and similar styles are dropped. @param tree
 * as parsed
 */
export function htmlToMarkdown(tree: Root, context: BlockContext): Flow | null {
  if (tree.children.some((node) => findElement(node, isBeyondMarkdown) !== undefined)) return null;
  const words = childrenOf(tree).map(wordsOf).join('');
  if (elementsWithin(tree).filter(isEmptyInline).length > MAX_EMPTY_ELEMENTS) return null;
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

/** A block written for a part of a markdown text. */
interface WrittenBlock {
  readonly raw: string;
  /** Start of that part in the Markdown (UTF-16 units). */
  readonly offset: number;
}

type Nodes = readonly RootContent[];

const LIST_TAGS = ['ul', 'ol'];

function isBlockElement(node: RootContent): boolean {
  return isElement(node, 'p', 'ul', 'ol', 'pre', 'blockquote', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6');
}

/** The content of a list item: its paragraphs, separated as well as one line of rich text allows. */
function itemLine(nodes: Nodes): string {
  const parts = nodes.map((node) => (isElement(node, 'p') ? htmlOf(node.children) : htmlOf([node]).trim()));
  return parts.filter((part) => part !== '').join('<br><br>');
}

function isSimpleList(list: Element): boolean {
  return list.children.every(
    (item) =>
      !isElement(item) ||
      item.children.every(
        (node) =>
          !isBlockElement(node) || isElement(node, 'p') || (isElement(node, ...LIST_TAGS) && isSimpleList(node)),
      ),
  );
}

function listItem(item: Element): string {
  const lists = item.children.filter((node): node is Element => isElement(node, ...LIST_TAGS));
  const words = item.children.filter((node) => !isElement(node, ...LIST_TAGS));
  const isTight = !words.some((node) => isElement(node, 'p'));
  const line = isTight ? htmlOf(words).trim() : itemLine(words);
  return block('list-item', `<li>${line}${inRow(lists.map(listBlock))}</li>`);
}

function listBlock(list: Element): string {
  if (!isSimpleList(list)) return block('html', htmlOf([list]));
  const items = list.children.filter((node): node is Element => isElement(node, 'li')).map(listItem);
  if (list.tagName === 'ul') return block('list', `<ul>${inRow(items)}</ul>`);
  const start = Number(attribute(list, 'start') ?? 1);
  const mark = start === 1 ? '' : ` start="${start}"`;
  const attributes = { ordered: true, start: start === 1 ? undefined : start };
  return block('list', `<ol${mark}>${inRow(items)}</ol>`, attributes);
}

function codeBlock(pre: Element): string {
  const [code] = pre.children;
  const language =
    code !== undefined && isElement(code)
      ? classesOf(code).find((name) => /^language-[\w+#-]+$/.test(name))
      : undefined;
  const marks = language === undefined ? '' : ` ${language}`;
  const words = htmlOf([{ type: 'text', value: codeWords(pre).replace(/\n$/, '') }]);
  return block('code', `<pre class="wp-block-code${marks}"><code>${words}</code></pre>`, { className: language });
}

/** Not `wordsOf`, which would put it on one line. */
function codeWords(node: Element): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : isElement(child) ? codeWords(child) : ''))
    .join('');
}

function hasPicture(element: Element): boolean {
  return findElement(element, ({ tagName }) => tagName === 'img') !== undefined;
}

/** Writes the alignment like WordPress's table block. */
function tableBlock(table: Element): string {
  const [aligned] = mapElements([table], (element) => {
    // Markdown always has a header; WordPress has none in place of an empty one.
    if (element.tagName === 'thead' && wordsOf(element).trim() === '' && !hasPicture(element)) return [];
    const align = attribute(element, 'align');
    const properties = align === undefined ? {} : { className: [`has-text-align-${align}`], dataAlign: align };
    const children = /^(?:table|thead|tbody|tr)$/.test(element.tagName)
      ? (elementsOf(element.children) ?? [])
      : element.children;
    return [{ ...element, children, properties: /^t[dh]$/.test(element.tagName) ? properties : element.properties }];
  });
  return block('table', `<figure class="wp-block-table">${htmlOf(aligned === undefined ? [] : [aligned])}</figure>`, {
    // Without it, recent versions of WordPress expect a class on the table.
    hasFixedLayout: false,
  });
}

/** A picture that is a separate paragraph; its title is its caption. */
function loneImage(paragraph: Element): Element | undefined {
  const elements = elementsOf(paragraph.children);
  const [image] = elements ?? [];
  return elements?.length === 1 && image?.tagName === 'img' ? image : undefined;
}

function elementBlock(element: Element, context: BlockContext): string {
  const { tagName, children } = element;
  if (/^h[1-6]$/.test(tagName)) return headingBlock(htmlOf(children), Math.min(Number(tagName[1]) + 2, 6));
  if (tagName === 'ul' || tagName === 'ol') return listBlock(element);
  if (tagName === 'pre') return codeBlock(element);
  if (tagName === 'table') return tableBlock(element);
  if (tagName === 'hr') {
    return block('separator', '<hr class="wp-block-separator has-alpha-channel-opacity"/>');
  }
  if (tagName === 'blockquote') {
    const inner = (elementsOf(children) ?? []).map((child) => elementBlock(child, context));
    return block('quote', `<blockquote class="wp-block-quote">${inRow(inner)}</blockquote>`);
  }
  if (tagName !== 'p') return block('html', htmlOf([element]));
  const image = loneImage(element);
  if (image === undefined) return paragraphBlock(htmlOf(children));
  const {
    src = '',
    alt = '',
    title,
  } = { src: attribute(image, 'src'), alt: attribute(image, 'alt'), title: attribute(image, 'title') };
  return imageBlock({ src, alt, caption: title }, context);
}

/** Turns the line breaks of Markdown into spaces; in content without blocks WordPress would turn them into `<br>`. */
function unbroken(element: Element): RootContent[] {
  if (element.tagName === 'pre' || element.tagName === 'code') return [element];
  const children = element.children.map((node, index) => {
    if (node.type !== 'text') return node;
    const value = isElement(element.children[index - 1], 'br') ? node.value.replace(/^\n/, '') : node.value;
    return { ...node, value: value.replaceAll('\n', ' ') };
  });
  return [{ ...element, children }];
}

/**
 * Draws check boxes of task lists as characters, because WordPress removes form elements from what most users write.
 */
function drawn(element: Element): RootContent[] {
  if (element.tagName !== 'input') return [element];
  return [{ type: 'text', value: element.properties['checked'] === true ? '☑' : '☐' }];
}

function withRemoteAddresses(element: Element, context: BlockContext): Element {
  const [changed] = withAddresses({ type: 'root', children: [element] }, (href) => context.toRemote(href)).children;
  return isElement(changed) ? changed : element;
}

/** Markdown as WordPress's blocks, in the same order. */
export function markdownToBlocks(markdown: string, context: BlockContext): WrittenBlock[] {
  const tree = markdownToHtml(markdown);
  const drawnNodes = mapElements(tree.children, drawn);
  const elements = mapElements(drawnNodes, unbroken).filter((node): node is Element => isElement(node));
  return elements.map((element) => {
    // A picture keeps our address until it is written, because its id in the site's library is looked up by it.
    const isPicture = element.tagName === 'p' && loneImage(element) !== undefined;
    const ready = isPicture ? element : withRemoteAddresses(element, context);
    return { raw: elementBlock(ready, context), offset: element.position?.start.offset ?? 0 };
  });
}
