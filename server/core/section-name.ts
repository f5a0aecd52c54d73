import type { Section } from '#server/core/content';
import type { JsonValue } from '#server/core/json';
import { shorten } from '#server/core/short-text';

/** Fields that say best what a section is about, the best first. */
const NAMING_FIELDS = ['heading', 'quote', 'title', 'question', 'body', 'caption', 'alt', 'label', 'html'];
/** Characters that are looked at: HTML may be long, and only its first words count. */
const READ_CHARS = 2_000;
/** Characters of a name. */
const NAME_CHARS = 60;

/** Name of a section for people: its heading, or else its first words; empty where it has none. */
export function sectionName({ fields }: Pick<Section, 'fields'>): string {
  return shorten(wordsOf(fields), NAME_CHARS);
}

function wordsOf(fields: Readonly<Record<string, JsonValue>>): string {
  for (const field of NAMING_FIELDS) {
    const value = fields[field];
    const words = typeof value === 'string' ? plain(field, value.slice(0, READ_CHARS)) : '';
    if (words !== '') return words;
  }
  for (const value of Object.values(fields)) {
    const first: JsonValue | undefined = Array.isArray(value) ? value[0] : undefined;
    if (first !== null && typeof first === 'object' && !Array.isArray(first)) return wordsOf(first);
  }
  return '';
}

/** A text on one line, without the marks of Markdown and HTML where the field has them. */
function plain(field: string, text: string): string {
  const words = field === 'html' ? text.replaceAll(/<[^<>]*>/g, ' ') : field === 'body' ? unmarked(text) : text;
  return words.replaceAll(/\s+/g, ' ').trim();
}

function unmarked(markdown: string): string {
  return markdown
    .replaceAll(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/(?:^|\n)[#>\s-]+/g, ' ')
    .replaceAll(/[*_`~]+/g, '');
}
