import { decodeEntities } from '#server/content/html-entities';

/* WordPress keeps titles, excerpts and names as pieces of HTML; ours are plain text. */

/** What a browser would take for an element; `a < b` is none. */
const TAG = /<(?:[a-z!?/][^<>]*)>/gi;

/** The words of a piece of HTML. */
export function textFromHtml(html: string): string {
  return decodeEntities(html.replaceAll(TAG, '')).trim();
}

/** Plain text as HTML that shows exactly it. What needs no escape is left alone: people edit it there. */
export function htmlFromText(text: string): string {
  return text.replaceAll(/&(?=#?\w+;)/g, '&amp;').replaceAll(/<(?=[a-z!?/])/gi, '&lt;');
}
