import type { Element, ElementContent, RootContent, Text } from 'hast';
import { isLinkAddress, isOwnPicture } from '#components/editor/rich-text/schema';
import {
  attribute,
  childrenOf,
  escapeAttribute,
  findElement,
  htmlOf,
  type HtmlNode,
  wordsOf,
} from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/** Elements around what was written: their words are not part of it. */
const DROPPED = new Set(
  'script style template head title meta link xml object iframe noscript svg math select textarea button'.split(' '),
);
const KEPT = new Set('p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre br hr s del code'.split(' '));
/** Boxes around text: their words are paragraphs of their own. */
const BOXES = new Set(
  'div section article main header footer aside nav figure figcaption table tr td th dl dt dd'.split(' '),
);

function element(tagName: string, children: readonly RootContent[], properties: Element['properties'] = {}): Element {
  return { type: 'element', tagName, properties, children: children as ElementContent[] };
}

function styleOf(node: Element): string {
  return (attribute(node, 'style') ?? '').toLowerCase();
}

/** Paragraph that Word says is an item of a list. */
interface WordItem {
  readonly level: number;
  readonly isOrdered: boolean;
  readonly children: RootContent[];
}

/** Marks that Word puts before the items of its lists: a bullet of some font, or a number or letter. */
const ORDERED = /^\s*(?:\d+|[a-z]|[ivx]+)[.)]/i;

function isWordMark(node: Element): boolean {
  return /mso-list:\s*ignore/.test(styleOf(node));
}

function wordItem(node: RootContent): WordItem | null {
  if (node.type !== 'element' || node.tagName !== 'p') return null;
  const level = /mso-list:[^;]*\blevel(\d+)/.exec(styleOf(node))?.[1];
  if (level === undefined) return null;
  const mark = findElement(node, isWordMark);
  const isOrdered = mark !== undefined && ORDERED.test(wordsOf(mark));
  return { level: Number(level), isOrdered, children: cleanNodes(node.children) };
}

/** Items that follow one another as lists within lists. */
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
    else lists.push(element(tagName, [entry]));
    at = end;
  }
  return lists;
}

function cleanText(node: Text): Text {
  // Spaces that do not break are how Word and browsers keep several in a row.
  return { type: 'text', value: node.value.replace(/ ?\u00a0[ \u00a0]*/g, ' ') };
}

/** Text of code, in which lines count. */
function plainText(node: HtmlNode): string {
  return node.type === 'text' ? node.value : childrenOf(node).map(plainText).join('');
}

/** Nodes one after another, with Word's lists as lists. */
function cleanNodes(nodes: readonly RootContent[]): RootContent[] {
  const result: RootContent[] = [];
  let items: WordItem[] = [];
  for (const node of nodes) {
    const item = wordItem(node);
    if (item) items.push(item);
    else if (items.length === 0 || node.type !== 'text' || node.value.trim() !== '') {
      result.push(...listsOf(items), ...cleanNode(node));
      items = [];
    }
  }
  return [...result, ...listsOf(items)];
}

function isBlank(nodes: readonly RootContent[]): boolean {
  return nodes.every((node) => wordsOf(node).trim() === '' && !htmlOf([node]).includes('<img'));
}

/** Marks that an element makes by its name or its style. */
function marked(node: Element, children: readonly RootContent[]): readonly RootContent[] {
  const style = styleOf(node);
  const { tagName } = node;
  const isBold = /(?:^|[;\s])font-weight:\s*(?:bold|[6-9]00)/.test(style) || tagName === 'b' || tagName === 'strong';
  const isItalic = /(?:^|[;\s])font-style:\s*italic/.test(style) || tagName === 'i' || tagName === 'em';
  let result = children;
  // Google Docs wraps all that it copies into a `b` that is not bold.
  if (isItalic && !/(?:^|[;\s])font-style:\s*normal/.test(style)) result = [element('em', result)];
  if (isBold && !/(?:^|[;\s])font-weight:\s*(?:normal|400)/.test(style)) result = [element('strong', result)];
  return result;
}

function cleanNode(node: RootContent): readonly RootContent[] {
  if (node.type === 'text') return [cleanText(node)];
  if (node.type !== 'element' || DROPPED.has(node.tagName) || isWordMark(node)) return [];
  const { tagName } = node;
  const isSource = node.properties['dataMarkdown'] !== undefined;
  const children = tagName === 'pre' ? [{ type: 'text' as const, value: plainText(node) }] : cleanNodes(node.children);
  if (KEPT.has(tagName)) {
    if ((tagName === 'p' || tagName === 'li') && isBlank(children)) return [];
    return [element(tagName, children, isSource ? { 'data-markdown': '' } : {})];
  }
  if (tagName === 'a') {
    const href = attribute(node, 'href') ?? '';
    return isLinkAddress(href) ? [element('a', children, { href })] : children;
  }
  if (tagName === 'img') {
    const [src, alt] = [attribute(node, 'src') ?? '', attribute(node, 'alt') ?? ''];
    return isOwnPicture(src) ? [element('img', [], { src, alt })] : [];
  }
  return BOXES.has(tagName) ? [element('div', children)] : marked(node, children);
}

/** Attribute in which the editor notes how much of the blocks at either end was copied. */
const SLICE = /\sdata-pm-slice="([^"]*)"/;

/**
 * HTML from the clipboard (Word, a web page, the editor itself) with only what a text can have: no styles, scripts, or
 * pictures from elsewhere. It is not given to the browser before that: it would look at what is in it.
 */
export function cleanPaste(html: string): string {
  const tree = parseHtmlWithinLimits(html);
  if (tree === null) return htmlOf([element('p', [{ type: 'text', value: html.replace(/<[^<>]*>/g, ' ') }])]);
  const clean = htmlOf(cleanNodes(tree.children)).trim();
  const slice = SLICE.exec(html)?.[1]?.replaceAll('&quot;', '"');
  return slice === undefined ? clean : clean.replace(/^<(\w+)/, `<$1 data-pm-slice="${escapeAttribute(slice)}"`);
}
