import type { Element, Root, RootContent } from 'hast';

export type HtmlNode = RootContent | Root;

export function isElement(node: HtmlNode | undefined, ...names: readonly string[]): node is Element {
  return node?.type === 'element' && (names.length === 0 || names.includes(node.tagName));
}

export function childrenOf(node: HtmlNode): RootContent[] {
  return 'children' in node ? node.children : [];
}

/** The elements among `nodes`; null where there is text between them. Comments and white space do not count. */
export function elementsOf(nodes: readonly RootContent[]): Element[] | null {
  const rest = nodes.filter((node) => node.type !== 'comment' && !(node.type === 'text' && node.value.trim() === ''));
  return rest.every((node): node is Element => node.type === 'element') ? rest : null;
}

export function attribute(element: Element, name: string): string | undefined {
  const value = element.properties[name];
  if (Array.isArray(value)) return value.join(' ');
  return value === null || value === undefined || value === false ? undefined : String(value);
}

export function classesOf(element: Element): readonly string[] {
  return (attribute(element, 'className') ?? '').split(/\s+/);
}

/** The first element that `isWanted`, in document order. */
export function findElement(node: HtmlNode, isWanted: (element: Element) => boolean): Element | undefined {
  if (node.type === 'element' && isWanted(node)) return node;
  for (const child of childrenOf(node)) {
    const found = findElement(child, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every element below a node, in document order. */
export function elementsWithin(node: HtmlNode): Element[] {
  return childrenOf(node).flatMap((child) => (child.type === 'element' ? [child, ...elementsWithin(child)] : []));
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Text without what fields must not hold (server/core/safe-text). */
export function storable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '').toWellFormed();
}

/** The words of a node; `<br>` is a line break, other line breaks are spaces. */
export function wordsOf(node: HtmlNode): string {
  if (node.type === 'text') return storable(node.value.replace(/[\r\n]+/g, ' '));
  if (isElement(node, 'br')) return '\n';
  return childrenOf(node).map(wordsOf).join('');
}

/** Words on one line. */
export function onOneLine(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .join(' ')
    .trim();
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for HTML; quotation marks stay, WordPress makes them curly. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/** An attribute's value, or text of XML. `<` and `>` too: WordPress finds the delimiters of its blocks anywhere. */
export function escapeAttribute(value: string): string {
  return value.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}

const VOID = new Set(['br', 'hr', 'img', 'wbr', 'col', 'source', 'track']);
const ATTRIBUTE_NAMES: Readonly<Record<string, string>> = { className: 'class', dataAlign: 'data-align' };

function attributesText(element: Element): string {
  return Object.keys(element.properties)
    .map((name) => [name, attribute(element, name)] as const)
    .filter(([name, value]) => value !== undefined && !(name === 'className' && value === ''))
    .map(([name, value = '']) => ` ${ATTRIBUTE_NAMES[name] ?? name.toLowerCase()}="${escapeAttribute(value)}"`)
    .join('');
}

/**
 * A cleaned tree as HTML that WordPress's editor would write: `<br>`, but `<img/>` and `<hr/>`. Comments are left out.
 */
export function htmlOf(nodes: readonly RootContent[]): string {
  return nodes.map(nodeHtml).join('');
}

function nodeHtml(node: RootContent): string {
  if (node.type === 'text') return escapeText(storable(node.value));
  if (node.type !== 'element') return '';
  const { tagName } = node;
  const tag = `${tagName}${attributesText(node)}`;
  if (VOID.has(tagName)) return tagName === 'br' || tagName === 'wbr' ? `<${tag}>` : `<${tag}/>`;
  return `<${tag}>${htmlOf(node.children)}</${tagName}>`;
}

/** A copy of a tree where each element is what `change` makes of it, innermost first; null takes it out. */
export function mapElements(
  nodes: readonly RootContent[],
  change: (element: Element) => readonly RootContent[],
): RootContent[] {
  return nodes.flatMap((node) =>
    node.type === 'element'
      ? change({ ...node, children: mapElements(node.children, change) as Element['children'] })
      : [node],
  );
}
