import { WORDLESS_FIELDS } from '#server/site/text/text-places';
import type { Section } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { decodeEntities } from '#server/markup/html-text';

const INLINE_TAG = /<\/?(?:a|abbr|b|cite|code|del|em|i|mark|s|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi;

/** Text of HTML, good enough for a search: without tags, each block on a separate line, with plain spaces. */
function wordsOfHtml(html: string): string {
  const words = html
    .replace(/<!--[^]*?(?:-->|$)|<(script|style)\b[^]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(INLINE_TAG, '')
    .replace(/<[^<>]*>/g, '\n');
  return decodeEntities(words)
    .replaceAll('\u00a0', ' ')
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

/** All text that a visitor reads in a section (alternative texts included), one text per line. Markdown stays as written. */
export function sectionPlainText({ type, fields }: Section): string {
  if (type === 'html' && typeof fields['html'] === 'string') return wordsOfHtml(fields['html']);
  return textsOf(fields).join('\n');
}
