import type { Nodes as HtmlNodes } from 'hast';
import type { Nodes, Root } from 'mdast';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

/**
 * Maximum number of elements that HTML within one markdown text may create if it is shown as HTML: each is rendered by
 * a component.
 */
const MAX_RAW_PARTS = 2_000;

const BLOCKS = new Set<Nodes['type']>(['paragraph', 'heading', 'listItem', 'tableCell', 'blockquote']);

function hasHtml(node: Nodes): boolean {
  return node.type === 'html' || ('children' in node && node.children.some(hasHtml));
}

/** The HTML in a tree. Each block is put in a paragraph, because the parser reopens unclosed elements in each block. */
function rawHtml(node: Nodes): string {
  if (node.type === 'html') return node.value;
  if (!('children' in node)) return '';
  const inner = node.children.map(rawHtml).join('');
  return BLOCKS.has(node.type) ? `<p>${inner}` : inner;
}

function withoutHtml<T extends Nodes>(node: T): T {
  if (node.type === 'html') return { ...node, type: 'text' };
  return 'children' in node ? { ...node, children: node.children.map(withoutHtml) } : node;
}

/**
 * Plugin of unified for markdown whose HTML is parsed after it: if that would create too many elements, the HTML
 * becomes plain text.
 */
export function limitedRawHtml(): (tree: Root) => Root {
  return (tree) => {
    if (!hasHtml(tree)) return tree;
    const read = parseHtmlWithinLimits(rawHtml(tree));
    return read !== null && elementCount(read) <= MAX_RAW_PARTS ? tree : withoutHtml(tree);
  };
}

function elementCount(node: HtmlNodes): number {
  return 'children' in node ? node.children.reduce((sum, child) => sum + elementCount(child), 1) : 0;
}
