import type { Element, RootContent } from 'hast';
import { attribute, storable } from '#server/markup/html-tree';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/* Writes HTML in the form in which WordPress's editor writes it, so that stored markup does not change needlessly. */

/** Escapes a text for HTML; quotation marks stay, because WordPress makes them curly. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Escapes the value of an attribute in double quotes, or an XML text. Escapes `<` and `>` too, because WordPress also
 * finds block delimiters inside attribute values.
 */
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
 * Sanitised nodes as HTML in the style of WordPress's editor: `<br>`, but `<img/>` and `<hr/>`. Comments are left out.
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
