import type { Section } from '#server/core/content';
import type { JsonValue } from '#server/core/json';

/** Fields that hold no words: addresses and switches. */
const WORDLESS_FIELDS = new Set(['src', 'image', 'ctaHref', 'buttonHref', 'kind', 'count', 'block']);

const INLINE_TAG = /<\/?(?:a|abbr|b|cite|code|del|em|i|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&nbsp;': ' ',
};

/** What HTML says, near enough to be searched: its tags taken out, each block on a line of its own. */
function wordsOfHtml(html: string): string {
  const words = html
    .replace(/<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(INLINE_TAG, '')
    .replace(/<[^<>]*>/g, '\n')
    .replace(/&(?:quot|lt|gt|amp|nbsp);/g, (entity) => ENTITIES[entity] ?? entity);
  return words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => (WORDLESS_FIELDS.has(key) ? [] : textsOf(item)));
}

/** All that a visitor reads in a section (alternative texts too), one text per line. */
export function sectionText({ type, fields }: Section): string {
  if (type === 'html' && typeof fields['html'] === 'string') return wordsOfHtml(fields['html']);
  return textsOf(fields).join('\n');
}
