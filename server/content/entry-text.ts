import type { Section } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** Fields that hold no words: addresses and switches. */
const WORDLESS_FIELDS = new Set(['src', 'image', 'ctaHref', 'buttonHref', 'kind', 'count']);

function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => (WORDLESS_FIELDS.has(key) ? [] : textsOf(item)));
}

/** All that a visitor reads in a section (alternative texts too), one text per line. */
export function sectionText(section: Section): string {
  return textsOf(section.fields).join('\n');
}
