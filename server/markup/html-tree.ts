import type { Element, Root, RootContent } from 'hast';

/* Reads parsed HTML: trees of hast, in which attributes have the names of DOM properties (`className`, `dataFoo`). */

/** Any node of a tree, or the tree itself. */
export type HtmlNode = RootContent | Root;

/** True for an element; with names, for an element with one of these tag names (lower case). */
export function isElement(node: HtmlNode | undefined, ...names: readonly string[]): node is Element {
  return node?.type === 'element' && (names.length === 0 || names.includes(node.tagName));
}

/** The children of a node; empty for nodes that have none. */
export function childrenOf(node: HtmlNode): RootContent[] {
  return 'children' in node ? node.children : [];
}

/** The elements among `nodes`; null if there is other text than white space. Comments are ignored. */
export function elementsOf(nodes: readonly RootContent[]): Element[] | null {
  const rest = nodes.filter((node) => node.type !== 'comment' && !(node.type === 'text' && node.value.trim() === ''));
  return rest.every((node): node is Element => node.type === 'element') ? rest : null;
}

/** An attribute as text, by its hast name (`className`); undefined if it is missing or false. */
export function attribute(element: Element, name: string): string | undefined {
  const value = element.properties[name];
  if (Array.isArray(value)) return value.join(' ');
  return value === null || value === undefined || value === false ? undefined : String(value);
}

/** The class names of an element; one empty string if it has none. */
export function classesOf(element: Element): readonly string[] {
  return (attribute(element, 'className') ?? '').split(/\s+/);
}

/** The first element for which `isWanted` is true, in document order. */
export function findElement(node: HtmlNode, isWanted: (element: Element) => boolean): Element | undefined {
  if (node.type === 'element' && isWanted(node)) return node;
  for (const child of childrenOf(node)) {
    const found = findElement(child, isWanted);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All descendant elements of a node, in document order. */
export function elementsWithin(node: HtmlNode): Element[] {
  return childrenOf(node).flatMap((child) => (child.type === 'element' ? [child, ...elementsWithin(child)] : []));
}

// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Text without the control characters and lone surrogates that fields must not contain (`server/core/text/safe-text`). */
export function storable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '').toWellFormed();
}

/** The text of a node with all its descendants; `<br>` becomes a line break, other line breaks become spaces. */
export function wordsOf(node: HtmlNode): string {
  if (node.type === 'text') return storable(node.value.replace(/[\r\n]+/g, ' '));
  if (isElement(node, 'br')) return '\n';
  return childrenOf(node).map(wordsOf).join('');
}

/** The text with its line breaks replaced by single spaces, trimmed. */
export function onOneLine(text: string): string {
  return text
    .split(/[\r\n]+/)
    .map((part) => part.trim())
    .join(' ')
    .trim();
}

/** Copies a tree and replaces each element by the result of `change`, innermost first; null removes it. */
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
