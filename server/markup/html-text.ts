import { decodeCharacterReference } from '#server/markup/parse-html';

/* A CMS may keep titles, excerpts and names as pieces of HTML; ours are plain text. */

const CLOSED_REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** Puts characters in the place of their references; one that stands for none stays as it is. */
export function decodeEntities(html: string): string {
  return html.replaceAll(CLOSED_REFERENCE, (reference) => {
    const text = decodeCharacterReference(reference);
    return text === null || text === '\uFFFD' ? reference : text;
  });
}

/** Text that a browser would parse as a tag; `a < b` is not one. */
const TAG = /<(?:[a-z!?/][^<>]*)>/gi;

/** The words of a piece of HTML. */
export function textFromHtml(html: string): string {
  return decodeEntities(html.replaceAll(TAG, '')).trim();
}

/** Plain text as HTML that shows exactly it. What needs no escape is left alone: people edit it there. */
export function htmlFromText(text: string): string {
  return text.replaceAll(/&(?=#?\w+;)/g, '&amp;').replaceAll(/<(?=[a-z!?/])/gi, '&lt;');
}
