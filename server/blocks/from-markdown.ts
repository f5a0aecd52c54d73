import type { Element, Root, RootContent } from 'hast';
import type { Root as MarkdownRoot, RootContent as MarkdownNode } from 'mdast';
import rehypeRemark from 'rehype-remark';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import remarkStringify from 'remark-stringify';
import { type Plugin, unified } from 'unified';
import { createBoundedCache } from '#server/core/bounded-map';
import type { BlockContext } from '#server/blocks/block-context';
import { isVerse } from '#server/blocks/block-reader';
import { sanitized, withAddresses } from '#server/blocks/clean-html';
import {
  attribute,
  childrenOf,
  classesOf,
  elementsOf,
  elementsWithin,
  findElement,
  htmlOf,
  isElement,
  mapElements,
  wordsOf,
} from '#server/markup/html-tree';
import { limitedMarkdown, markdownStyle } from '#server/markup/markdown';
import { htmlRules } from '#server/markup/sanitize-rules';
import { block, headingBlock, imageBlock, inRow, paragraphBlock } from '#server/blocks/block-markup';

/** Addresses whose marks are escaped are words, as on our own site: remark-gfm looks at them once more, and links them. */
const escapedStayWords: Plugin = function () {
  const data = this.data();
  const all = data.fromMarkdownExtensions?.flat() ?? [];
  data.fromMarkdownExtensions = all.map(({ transforms: _transforms, ...extension }) => extension);
};

const reader = unified().use(remarkParse).use(remarkGfm).use(escapedStayWords).use(limitedMarkdown).freeze();
const writer = unified()
  .use(remarkRehype)
  .use(rehypeSanitize, {
    ...defaultSchema,
    clobber: [],
    tagNames: [...(defaultSchema.tagNames ?? []), 'mark'],
    // The same as of HTML that is read: what is shown as a link stays one.
    protocols: { ...defaultSchema.protocols, ...htmlRules.protocols },
  })
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

/** Nodes with an element for each line break; those at both ends of a text show nothing. */
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
const markdownWriter = unified().use(remarkStringify, markdownStyle).use(remarkGfm).freeze();

/** Markdown of blocks, one after another; lists in a row keep apart. */
export function writeMarkdown(nodes: readonly MarkdownNode[]): string {
  return markdownWriter.stringify({ type: 'root', children: [...nodes] }).trimEnd();
}

/** The longest body of a text, see server/core/section-fields; what is longer would be HTML in any case. */
const MAX_LENGTH = 50_000;

/** Elements of running text without anything in them; for each, the converter looks through all that follow it. */
const MOST_EMPTY = 200;
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
  if (elementsWithin(tree).filter(isEmptyInline).length > MOST_EMPTY) return null;
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
  /** Start of that part in the markdown (UTF-16 units). */
  readonly offset: number;
}

type Nodes = readonly RootContent[];

const LIST_TAGS = ['ul', 'ol'];

function isBlockElement(node: RootContent): boolean {
  return isElement(node, 'p', 'ul', 'ol', 'pre', 'blockquote', 'table', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6');
}

/** The words of a list item: its paragraphs, parted as well as one line of rich text can. */
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

/** `wordsOf` would make one line of it. */
function codeWords(node: Element): string {
  return node.children
    .map((child) => (child.type === 'text' ? child.value : isElement(child) ? codeWords(child) : ''))
    .join('');
}

/** Alignment as the table block of WordPress writes it. */
function tableBlock(table: Element): string {
  const [aligned] = mapElements([table], (element) => {
    const align = attribute(element, 'align');
    const properties = align === undefined ? {} : { className: [`has-text-align-${align}`], dataAlign: align };
    const children = /^(?:table|thead|tbody|tr)$/.test(element.tagName)
      ? (elementsOf(element.children) ?? [])
      : element.children;
    return [{ ...element, children, properties: /^t[dh]$/.test(element.tagName) ? properties : element.properties }];
  });
  return block('table', `<figure class="wp-block-table">${htmlOf(aligned === undefined ? [] : [aligned])}</figure>`);
}

/** A picture that is a paragraph of its own. */
function loneImage(paragraph: Element): Element | undefined {
  const elements = elementsOf(paragraph.children);
  const [image] = elements ?? [];
  return elements?.length === 1 && image?.tagName === 'img' && attribute(image, 'title') === undefined
    ? image
    : undefined;
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
  return imageBlock({ src: attribute(image, 'src') ?? '', alt: attribute(image, 'alt') ?? '' }, context);
}

/** Line breaks of markdown are spaces; in content without blocks WordPress would make `<br>` of them. */
function unbroken(element: Element): RootContent[] {
  if (element.tagName === 'pre' || element.tagName === 'code') return [element];
  const children = element.children.map((node, index) => {
    if (node.type !== 'text') return node;
    const value = isElement(element.children[index - 1], 'br') ? node.value.replace(/^\n/, '') : node.value;
    return { ...node, value: value.replaceAll('\n', ' ') };
  });
  return [{ ...element, children }];
}

/** Check boxes of task lists are drawn: WordPress takes forms out of what most people write. */
function drawn(element: Element): RootContent[] {
  if (element.tagName !== 'input') return [element];
  return [{ type: 'text', value: element.properties['checked'] === true ? '☑' : '☐' }];
}

function withRemoteAddresses(element: Element, context: BlockContext): Element {
  const [changed] = withAddresses({ type: 'root', children: [element] }, (href) => context.toRemote(href)).children;
  return isElement(changed) ? changed : element;
}

/** Markdown as WordPress's blocks, in its order. */
export function markdownToBlocks(markdown: string, context: BlockContext): WrittenBlock[] {
  const tree = markdownToHtml(markdown);
  const drawnNodes = mapElements(tree.children, drawn);
  const elements = mapElements(drawnNodes, unbroken).filter((node): node is Element => isElement(node));
  return elements.map((element) => {
    // A picture keeps our address until it is written: its id in the site's library goes by it.
    const isPicture = element.tagName === 'p' && loneImage(element) !== undefined;
    const ready = isPicture ? element : withRemoteAddresses(element, context);
    return { raw: elementBlock(ready, context), offset: element.position?.start.offset ?? 0 };
  });
}
