import type { Element, ElementContent, RootContent, Text } from 'hast';
import { cellLine, pastedTable, type PasteSimplification } from '#components/editor/rich-text/clean-table.ts';
import { isLinkAddress, isOwnPicture } from '#components/editor/rich-text/schema.ts';
import {
  attribute,
  childrenOf,
  elementsWithin,
  findElement,
  type HtmlNode,
  onOneLine,
  wordsOf,
} from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';
import { inUnicodeScript } from '#server/markup/unicode-scripts';
import { escapeAttribute, htmlOf } from '#server/markup/write-html';

/** Elements whose text is not part of the content. */
const DROPPED = new Set(
  'script style template head title meta link xml object iframe noscript svg math select textarea button'.split(' '),
);
/** Elements that a text of the site can contain; they keep their name and lose their attributes. */
const KEPT = new Set('p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre br hr s del code'.split(' '));
/** Block elements, whose text becomes separate paragraphs. */
const BLOCKS = new Set(
  'div section article main header footer aside nav figure figcaption table tr td th dl dt dd'.split(' '),
);

function element(tagName: string, children: readonly RootContent[], properties: Element['properties'] = {}): Element {
  return { type: 'element', tagName, properties, children: children as ElementContent[] };
}

function styleOf(node: Element): string {
  return (attribute(node, 'style') ?? '').toLowerCase();
}

/** Addresses in the media library of pictures that were uploaded, by their addresses in the pasted HTML. */
type Pictures = ReadonlyMap<string, string>;

/** Options and results of one paste. */
interface Cleaning {
  readonly pictures: Pictures;
  /** The HTML comes from an editor of this product. */
  readonly isOwn: boolean;
  readonly simplified: Set<PasteSimplification>;
}

/** Paragraph that Word marks as a list item. */
interface WordItem {
  readonly level: number;
  readonly isOrdered: boolean;
  /** Number of an ordered item; 1 for other items. */
  readonly number: number;
  readonly children: RootContent[];
}

/**
 * Marker before the items of a numbered list of Word: a number, a letter or a Roman numeral. Bullets are symbols of any
 * font.
 */
const ORDERED = /^\s*(?:\d+|[a-z]|[ivx]+)[.)]/i;

function isWordMark(node: Element): boolean {
  return /mso-list:\s*ignore/.test(styleOf(node));
}

/**
 * True for comments of Word and Google Docs: the text of a comment, and the mark in the text that links to the comment.
 */
function isComment(node: Element): boolean {
  if (/mso-element:\s*comment/.test(styleOf(node))) return true;
  const names = (attribute(node, 'className') ?? '').toLowerCase();
  if (/\bmso(?:comment|com(?:anchor|off|txt|hide))/.test(names)) return true;
  const mark = ['sup', 'p', 'div', 'span'].includes(node.tagName) ? onlyLink(node) : node;
  return mark?.tagName === 'a' && /^#(?:cmnt|_msocom_)/.test(attribute(mark, 'href') ?? '');
}

/** The link that an element begins with; undefined if it has none, or if it is superscript with other text. */
function onlyLink(node: Element): Element | undefined {
  const [first, ...others] = node.children.filter((child) => child.type !== 'text' || child.value.trim() !== '');
  if (first?.type !== 'element' || (node.tagName === 'sup' && others.length > 0)) return undefined;
  if (first.tagName !== 'a') return ['p', 'span', 'sup'].includes(first.tagName) ? onlyLink(first) : undefined;
  // A paragraph that begins with a mark is the comment itself only if the mark leads back to the text.
  const isBack = (attribute(first, 'href') ?? '').startsWith('#cmnt_ref');
  return others.length === 0 || isBack ? first : undefined;
}

/**
 * The target of an address that Google Docs or Outlook has replaced by a redirect; other addresses are returned
 * unchanged.
 */
function redirectTarget(href: string): string {
  const url = URL.parse(href);
  if (url === null) return href;
  const isGoogle = /^(?:www\.)?google\.[a-z.]+$/.test(url.hostname) && url.pathname === '/url';
  const isOutlook = url.hostname.endsWith('.safelinks.protection.outlook.com');
  const inner = isGoogle ? (url.searchParams.get('q') ?? url.searchParams.get('url')) : url.searchParams.get('url');
  return (isGoogle || isOutlook) && inner !== null && isLinkAddress(inner) ? inner : href;
}

/** Fonts that mark code in Word and Google Docs. */
const CODE_FONT =
  /font-family:\s*["']?(?:courier|consolas|menlo|monaco|roboto mono|source code|cascadia|lucida console|monospace)/;

function wordItem(node: RootContent, cleaning: Cleaning): WordItem | null {
  if (node.type !== 'element' || node.tagName !== 'p') return null;
  const level = /mso-list:[^;]*\blevel(\d+)/.exec(styleOf(node))?.[1];
  if (level === undefined) return null;
  const mark = findElement(node, isWordMark);
  const isOrdered = mark !== undefined && ORDERED.test(wordsOf(mark));
  const number = isOrdered ? Number(/^\s*(\d{1,9})/.exec(wordsOf(mark))?.[1] ?? 1) : 1;
  return { level: Number(level), isOrdered, number, children: cleanNodes(node.children, cleaning) };
}

/** Consecutive items as nested lists. */
function listsOf(items: readonly WordItem[]): Element[] {
  const lists: Element[] = [];
  const level = items[0]?.level ?? 0;
  let at = 0;
  while (at < items.length) {
    const item = items[at];
    if (item === undefined) break;
    let end = at + 1;
    while ((items[end]?.level ?? 0) > level) end += 1;
    const entry = element('li', [element('p', item.children), ...listsOf(items.slice(at + 1, end))]);
    const tagName = item.isOrdered ? 'ol' : 'ul';
    const last = lists.at(-1);
    if (last?.tagName === tagName) last.children.push(entry);
    else lists.push(element(tagName, [entry], item.number === 1 ? {} : { start: item.number }));
    at = end;
  }
  return lists;
}

function cleanText(node: Text): Text {
  // Word and browsers use non-breaking spaces to keep several spaces in a row.
  return { type: 'text', value: node.value.replace(/ ?\u00a0[ \u00a0]*/g, ' ') };
}

/** Text of code, in which line breaks matter. */
function plainText(node: HtmlNode): string {
  return node.type === 'text' ? node.value : childrenOf(node).map(plainText).join('');
}

/** Cleans consecutive nodes, and converts Word's lists to lists. */
function cleanNodes(nodes: readonly RootContent[], cleaning: Cleaning): RootContent[] {
  const result: RootContent[] = [];
  let items: WordItem[] = [];
  for (const node of nodes) {
    const item = wordItem(node, cleaning);
    if (item) items.push(item);
    else if (items.length === 0 || node.type !== 'text' || node.value.trim() !== '') {
      result.push(...listsOf(items), ...cleanNode(node, cleaning));
      items = [];
    }
  }
  return [...result, ...listsOf(items)];
}

function isBlank(nodes: readonly RootContent[]): boolean {
  return nodes.every((node) => wordsOf(node).trim() === '' && !htmlOf([node]).includes('<img'));
}

/** Adds the marks of an element's name and style. */
function marked(node: Element, children: readonly RootContent[]): readonly RootContent[] {
  const style = styleOf(node);
  const { tagName } = node;
  const isBold = /(?:^|[;\s])font-weight:\s*(?:bold|[6-9]00)/.test(style) || tagName === 'b' || tagName === 'strong';
  const isItalic = /(?:^|[;\s])font-style:\s*italic/.test(style) || tagName === 'i' || tagName === 'em';
  let result = children;
  // Google Docs wraps everything that it copies into a `b` that is not bold.
  if (isItalic && !/(?:^|[;\s])font-style:\s*normal/.test(style)) result = [element('em', result)];
  const isStruck = /text-decoration(?:-line)?:[^;]*line-through/.test(style) || tagName === 'strike';
  if (isStruck) result = [element('s', result)];
  const isCode = ['tt', 'kbd', 'samp'].includes(tagName) || (tagName === 'span' && CODE_FONT.test(style));
  if (isCode && wordsOf({ type: 'root', children: [...children] }).trim() !== '')
    result = [element('code', [{ type: 'text', value: children.map(plainText).join('') }])];
  if (isBold && !/(?:^|[;\s])font-weight:\s*(?:normal|400)/.test(style)) result = [element('strong', result)];
  return result;
}

/** Superscript and subscript; texts of the site can have them only as Unicode characters. */
function scriptOf(node: Element): 'sup' | 'sub' | null {
  if (node.tagName === 'sup' || node.tagName === 'sub') return node.tagName;
  const [, align = ''] = /(?:^|[;\s])vertical-align:\s*(super|sub)\b/.exec(styleOf(node)) ?? [];
  if (node.tagName !== 'span' || align === '') return null;
  return align === 'super' ? 'sup' : 'sub';
}

/** A table as Markdown has it: with a header, without merged cells, each cell on one line. */
function cleanTable(node: Element, cleaning: Cleaning): RootContent[] | null {
  const table = pastedTable(node, cleaning.isOwn);
  if (table === null) return null;
  for (const what of table.simplified) cleaning.simplified.add(what);
  const cell = (from: Element | null, row: number, column: number): Element => {
    const content = from === null ? [] : cleanNodes(from.children, cleaning);
    // A header is bold already.
    const { nodes, isSimplified } = cellLine(from === null || row === 0 ? content : marked(from, content));
    if (isSimplified) cleaning.simplified.add('cellLines');
    const align = table.alignments[column] ?? null;
    return element(row === 0 ? 'th' : 'td', nodes, align === null ? {} : { align });
  };
  const rows = table.rows.map((cells, row) =>
    element(
      'tr',
      cells.map((from, column) => cell(from, row, column)),
    ),
  );
  const caption = table.caption === undefined ? [] : cleanNodes(table.caption.children, cleaning);
  return [...(isBlank(caption) ? [] : [element('div', caption)]), element('table', rows)];
}

/** A picture of this site with its caption; none for another one. */
function cleanPicture(node: Element, title: string, { pictures }: Cleaning): readonly RootContent[] {
  const given = attribute(node, 'src') ?? '';
  const [src, alt] = [pictures.get(given) ?? given, attribute(node, 'alt') ?? ''];
  return isOwnPicture(src) ? [element('img', [], { src, alt, ...(title !== '' && { title }) })] : [];
}

function cleanNode(node: RootContent, cleaning: Cleaning): readonly RootContent[] {
  if (node.type === 'text') return [cleanText(node)];
  if (node.type !== 'element' || DROPPED.has(node.tagName) || isWordMark(node) || isComment(node)) return [];
  const { tagName } = node;
  const table = tagName === 'table' ? cleanTable(node, cleaning) : null;
  if (table !== null) return table;
  const isSource = node.properties['dataMarkdown'] !== undefined;
  const children =
    tagName === 'pre' ? [{ type: 'text' as const, value: plainText(node) }] : cleanNodes(node.children, cleaning);
  const script = scriptOf(node);
  if (script !== null) {
    const written = inUnicodeScript(children.map(wordsOf).join(''), script);
    return written === null ? children : [{ type: 'text', value: written }];
  }
  if (KEPT.has(tagName)) {
    if ((tagName === 'p' || tagName === 'li') && isBlank(children)) return [];
    const start = tagName === 'ol' ? Number(attribute(node, 'start') ?? 1) : 1;
    const isStart = Number.isInteger(start) && start >= 0 && start !== 1;
    return [element(tagName, children, { ...(isSource && { 'data-markdown': '' }), ...(isStart && { start }) })];
  }
  if (tagName === 'a') {
    const href = redirectTarget(attribute(node, 'href') ?? '');
    return isLinkAddress(href) ? [element('a', children, { href })] : children;
  }
  if (tagName === 'img') return cleanPicture(node, attribute(node, 'title') ?? '', cleaning);
  if (node.properties['dataPicture'] !== undefined || tagName === 'figure') {
    const [image, ...others] = elementsWithin(node).filter((each) => each.tagName === 'img');
    const caption = findElement(node, (each) => each.tagName === 'figcaption');
    const words = caption === undefined ? attribute(image ?? node, 'title') : onOneLine(wordsOf(caption));
    const picture = image === undefined || others.length > 0 ? [] : cleanPicture(image, words ?? '', cleaning);
    if (picture.length > 0) return tagName === 'figure' ? [element('p', picture)] : picture;
  }
  return BLOCKS.has(tagName) ? [element('div', children)] : marked(node, children);
}

/** Attribute in which the editor stores how much of the blocks at both ends was copied. */
const SLICE = /\sdata-pm-slice="([^"]*)"/;

/** HTML from the clipboard, cleaned. */
interface CleanedPaste {
  readonly html: string;
  /** What was simplified, for notices. */
  readonly simplified: readonly PasteSimplification[];
}

/**
 * HTML from the clipboard (Word, a web page, the editor itself), reduced to what a text can contain: no styles,
 * scripts, or external pictures. Pasted HTML must pass through this function before the browser parses it, because the
 * browser would load its pictures.
 * @param pictures pictures to keep, with their addresses in the media library; other external ones are dropped
 */
export function cleanPaste(html: string, pictures: Pictures = new Map()): CleanedPaste {
  const tree = parseHtmlWithinLimits(html);
  if (tree === null) {
    const words = htmlOf([element('p', [{ type: 'text', value: html.replace(/<[^<>]*>/g, ' ') }])]);
    return { html: words, simplified: [] };
  }
  const slice = SLICE.exec(html)?.[1]?.replaceAll('&quot;', '"');
  const cleaning = { pictures, isOwn: slice !== undefined, simplified: new Set<PasteSimplification>() };
  const clean = htmlOf(cleanNodes(tree.children, cleaning)).trim();
  const marks = (text: string) => `data-pm-slice="${escapeAttribute(text)}"`;
  return {
    html: slice === undefined ? clean : clean.replace(/^<(\w+)/, (tag) => `${tag} ${marks(slice)}`),
    simplified: [...cleaning.simplified],
  };
}
