import type { Section } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { shorten } from '#server/core/text/short-text';

/** Fields that describe a section best, in order of preference. */
const NAMING_FIELDS = ['heading', 'quote', 'title', 'question', 'body', 'caption', 'alt', 'label', 'html'];
/** Maximum characters of a field that are read: HTML may be long, and only its first words matter. */
const MAX_READ_CHARS = 2_000;
/** Maximum characters of a name. */
const MAX_NAME_CHARS = 60;

/** Display name of a section: its heading, or else its first words; empty if it has neither. */
export function sectionName({ fields }: { readonly fields: Section['fields'] }): string {
  return shorten(wordsOf(fields), MAX_NAME_CHARS);
}

function wordsOf(fields: Readonly<Record<string, JsonValue>>): string {
  for (const field of NAMING_FIELDS) {
    const value = fields[field];
    const words = typeof value === 'string' ? plain(field, value.slice(0, MAX_READ_CHARS)) : '';
    if (words !== '') return words;
  }
  for (const value of Object.values(fields)) {
    const first: JsonValue | undefined = Array.isArray(value) ? value[0] : undefined;
    if (first !== null && typeof first === 'object' && !Array.isArray(first)) return wordsOf(first);
  }
  return '';
}

/** A text on one line, without Markdown or HTML markup if the field can contain it. */
function plain(field: string, text: string): string {
  const words = field === 'html' ? text.replaceAll(/<[^<>]*>/g, ' ') : field === 'body' ? withoutMarkdown(text) : text;
  return words.replaceAll(/\s+/g, ' ').trim();
}

/** Removes the markup of Markdown, approximately. */
function withoutMarkdown(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/(?:^|\n)[#>\s-]+/g, ' ')
    .replaceAll(/[*_`~]+/g, '');
}
