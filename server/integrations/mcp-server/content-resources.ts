import { entryMarkdown } from '#server/integrations/mcp-server/entry-markdown';
import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import type { ContentBackend } from '#server/site/content-backend';
import { NotFoundError } from '#server/core/errors';

/** The drafts of all pages and posts, as MCP resources for other assistants. */
interface ContentResources {
  /** Lists the resources, in pages. @throws InvalidInputError for an invalid cursor */
  list(cursor: string | undefined): Promise<ListResourcesResult>;
  /** Reads the draft of an entry as Markdown. @throws NotFoundError */
  read(uri: string): Promise<ReadResourceResult>;
}

/** Start of the URI of a resource; the id of the entry follows. */
const PREFIX = 'throughline://content/';
const MARKDOWN = 'text/markdown';
/** Entries on a page of the list. */
const PAGE_SIZE = 100;

/** Creates the resources of a site. */
export function createContentResources(content: ContentBackend): ContentResources {
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
