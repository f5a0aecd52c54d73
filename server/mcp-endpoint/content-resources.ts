import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { ContentBackend } from '#server/content/content-backend';
import { NotFoundError } from '#server/core/errors';
import { entryMarkdown } from '#server/mcp-endpoint/entry-markdown';

/** The pages and posts of the site, drafts as they are being edited, for assistants that read resources. */
export interface ContentResources {
  /** @throws InvalidInputError for a cursor that is none */
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
