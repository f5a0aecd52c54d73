import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { ContentBackend } from '#server/content/content-backend';
import type { EntryDocument, Section } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';
import { isJsonObject, type JsonValue } from '#server/core/json';

/** The drafts of all pages and posts, as resources for other assistants. */
interface ContentResources {
  /** @throws InvalidInputError for an invalid cursor */
  list(cursor: string | undefined): Promise<ListResourcesResult>;
  /** @throws NotFoundError */
  read(uri: string): Promise<ReadResourceResult>;
}

const PREFIX = 'throughline://content/';
const MARKDOWN = 'text/markdown';
const PAGE_SIZE = 100;

export function createContentResources(content: Pick<ContentBackend, 'query' | 'get'>): ContentResources {
  return {
    async list(cursor) {
      const { items, nextCursor } = await content.query({ sort: 'title', limit: PAGE_SIZE, cursor });
      return {
        resources: items.map(({ id, type, title, path, status, excerpt }) => ({
          uri: `${PREFIX}${id}`,
          name: path,
          title,
          description: `${type}, ${status}${excerpt ? `: ${excerpt}` : ''}`,
          mimeType: MARKDOWN,
        })),
        ...(nextCursor !== null && { nextCursor }),
      };
    },
    async read(uri) {
      const id = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : '';
      if (!/^\w+$/.test(id)) throw new NotFoundError('resource', uri.slice(0, 100));
      const { draft } = await content.get(id);
      return { contents: [{ uri, mimeType: MARKDOWN, text: entryMarkdown(draft) }] };
    },
  };
}

/** Fields shown as headings. */
const TITLES: ReadonlySet<string> = new Set(['heading', 'title', 'question']);
/** Fields without text for readers. */
const SILENT: ReadonlySet<string> = new Set(['kind', 'required', 'count', 'block', 'alt', 'imageAlt']);

/** The texts and pictures of an entry as Markdown, for reading only. */
export function entryMarkdown({ title, excerpt, sections }: EntryDocument): string {
  const blocks = [`# ${title}`, ...(excerpt ? [`*${excerpt}*`] : []), ...sections.flatMap(sectionBlocks)];
  return `${blocks.join('\n\n')}\n`;
}

function sectionBlocks({ fields }: Section): string[] {
  return blocksOf(fields, 2);
}

function blocksOf(fields: { readonly [name: string]: JsonValue }, level: number): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.flatMap((item) => (isJsonObject(item) ? blocksOf(item, level + 1) : []));
    if (typeof value !== 'string' || value === '' || SILENT.has(name)) return [];
    if (TITLES.has(name)) return [`${'#'.repeat(level)} ${value}`];
    if (name === 'src' || name === 'image')
      return [`![${textOf(fields[name === 'src' ? 'alt' : 'imageAlt'])}](${value})`];
    if (name === 'quote') return [value.replaceAll(/^/gm, '> ')];
    if (name === 'buttonHref' || name === 'ctaHref') return [];
    if (name === 'buttonLabel' || name === 'ctaLabel')
      return [`[${value}](${textOf(fields[name === 'ctaLabel' ? 'ctaHref' : 'buttonHref'])})`];
    return [value];
  });
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
