import type { EntryDocument, Section } from '#server/core/site/content';
import { isJsonObject, type JsonValue } from '#server/core/json';

/** Fields of sections that become headings. */
const HEADING_FIELDS: ReadonlySet<string> = new Set(['heading', 'title', 'question']);
/** Fields of sections that contain no text for readers, or are written with another field. */
const OMITTED_FIELDS: ReadonlySet<string> = new Set(['kind', 'required', 'count', 'block', 'alt', 'imageAlt']);

/** Writes the texts and pictures of an entry as Markdown, for reading only: it cannot be converted back. */
export function entryMarkdown({ title, excerpt, sections }: EntryDocument): string {
  const blocks = [`# ${title}`, ...(excerpt ? [`*${excerpt}*`] : []), ...sections.flatMap(sectionBlocks)];
  return `${blocks.join('\n\n')}\n`;
}

function sectionBlocks({ fields }: Section): string[] {
  return blocksOf(fields, 2);
}

/** Blocks of Markdown for fields. @param level of their headings; items of a list are one level lower */
function blocksOf(fields: { readonly [name: string]: JsonValue }, level: number): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.flatMap((item) => (isJsonObject(item) ? blocksOf(item, level + 1) : []));
    if (typeof value !== 'string' || value === '' || OMITTED_FIELDS.has(name)) return [];
    if (HEADING_FIELDS.has(name)) return [`${'#'.repeat(level)} ${value}`];
    if (name === 'src' || name === 'image')
      return [`![${textOf(fields[name === 'src' ? 'alt' : 'imageAlt'])}](${value})`];
    if (name === 'quote') return [value.replaceAll(/^/gm, '> ')];
    if (name === 'buttonHref' || name === 'ctaHref') return [];
    if (name === 'href') return [`<${value}>`];
    if (name === 'buttonLabel' || name === 'ctaLabel')
      return [`[${value}](${textOf(fields[name === 'ctaLabel' ? 'ctaHref' : 'buttonHref'])})`];
    return [value];
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
