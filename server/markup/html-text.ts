import { decodeCharacterReference } from '#server/markup/parse-html';

/* Converts between plain text, as fields of entries are stored here, and the HTML fragments in which a CMS may store
   titles, excerpts and names. */

const CLOSED_REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi;

/** Replaces character references by their characters; an unknown reference stays unchanged. */
export function decodeEntities(html: string): string {
  return html.replaceAll(CLOSED_REFERENCE, (reference) => {
    const text = decodeCharacterReference(reference);
    return text === null || text === '\uFFFD' ? reference : text;
  });
}

/** Text that a browser would parse as a tag; `a < b` is not one. */
const TAG = /<(?:[a-z!?/][^<>]*)>/gi;

/** The text of an HTML fragment: without tags, with decoded character references, trimmed. */
export function textFromHtml(html: string): string {
  return decodeEntities(html.replaceAll(TAG, '')).trim();
}

/**
 * Plain text as HTML that shows exactly this text. Escapes only what needs it, because people edit the text in the CMS.
 */
export function htmlFromText(text: string): string {
  return text.replaceAll(/&(?=#?\w+;)/g, '&amp;').replaceAll(/<(?=[a-z!?/])/gi, '&lt;');
}
