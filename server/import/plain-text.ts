import type { Nodes } from 'hast';
import { storable } from '#server/content/blocks/html-tree';
import { parseHtmlWithinLimits } from '#server/markup/parse-html';

function textOfNode(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node)) return '';
  if (node.type === 'element' && (node.tagName === 'script' || node.tagName === 'style')) return '';
  return node.children.map((child) => textOfNode(child as Nodes)).join('');
}

/** The words of a piece of HTML, without its tags; entities are read. */
export function wordsOf(markup: string): string {
  if (!/[<&]/.test(markup)) return storable(markup);
  const tree = parseHtmlWithinLimits(markup);
  // What nobody can parse is read without its tags.
  return storable(tree === null ? markup.replace(/<[^<>]*>/g, ' ') : textOfNode(tree));
}

/** The same as one line of at most `max` characters; what is longer ends in an ellipsis. */
export function lineOf(markup: string, max: number): string {
  return cut(wordsOf(markup).replaceAll(/\s+/g, ' ').trim(), max);
}

/** At most `max` characters, an ellipsis where something is left out. */
export function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')
        .trimEnd()}…`;
}
