import type { Nodes } from 'hast';
import { collapseSpaces, shorten } from '#server/core/text/short-text';
import { storable } from '#server/markup/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

function textOfNode(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node)) return '';
  if (node.type === 'element' && (node.tagName === 'script' || node.tagName === 'style')) return '';
  return node.children.map((child) => textOfNode(child as Nodes)).join('');
}

/** The text of an HTML fragment: without tags, scripts and control characters, with decoded character references. */
export function plainText(markup: string): string {
  if (!/[<&]/.test(markup)) return storable(markup);
  const tree = parseHtmlWithinLimits(markup);
  // HTML beyond the limits of the parser: only the tags are removed.
  return storable(tree === null ? markup.replace(/<[^<>]*>/g, ' ') : textOfNode(tree));
}

/** The text of an HTML fragment on one line of at most `max` characters; longer text ends in an ellipsis. */
export function plainLine(markup: string, max: number): string {
  return shorten(collapseSpaces(plainText(markup)), max);
}
