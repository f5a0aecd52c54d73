import { entryMarkdown } from '#server/integrations/mcp-server/entry-markdown';
import type {
  CompleteResult,
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { ContentBackend } from '#server/site/content-backend';
import { NotFoundError } from '#server/core/errors';

/** The drafts of all pages and posts, as MCP resources for other assistants. */
interface ContentResources {
  /** Lists the resources, in pages. @throws InvalidInputError for an invalid cursor */
  list(cursor: string | undefined): Promise<ListResourcesResult>;
  /** The one form of their addresses. */
  readonly template: ResourceTemplateType;
  /**
   * Ids for the variable of the template, of entries that match what was typed, from two characters on: the start of an
   * id, or words of a title, slug or excerpt.
   */
  complete(typed: string): Promise<CompleteResult>;
  /** Reads the draft of an entry as Markdown. @throws NotFoundError */
  read(uri: string): Promise<ReadResourceResult>;
}

/** Start of the URI of a resource; the id of the entry follows. */
const PREFIX = 'throughline://content/';
const MARKDOWN = 'text/markdown';
/** Entries on a page of the list, and the most values of a completion (2025-11-25, "Completion"). */
const PAGE_SIZE = 100;
/** Fewest characters for which entries are searched: one would match nearly all of them. */
const MIN_TYPED = 2;
/** What is no word but the start of an entry's id. */
const ID_START = /^(?:pag|pos)_\w*$/;

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
    template: {
      uriTemplate: `${PREFIX}{id}`,
      name: 'content',
      title: 'Page or post',
      description: 'The draft of a page or post, by its id',
      mimeType: MARKDOWN,
    },
    async complete(typed) {
      const wanted = typed.trim();
      if (wanted.length < MIN_TYPED) return { completion: { values: [] } };
      // Of the newest entries only: who types an id copies it from there.
      const isId = ID_START.test(wanted);
      const query = { sort: 'updated', limit: PAGE_SIZE, ...(!isId && { text: wanted }) } as const;
      const { items, nextCursor } = await content.query(query);
      const ids = items.map(({ id }) => id);
      const begins = ids.filter((id) => id.startsWith(wanted));
      const values = isId ? begins : [...begins, ...ids.filter((id) => !begins.includes(id))];
      return { completion: { values, hasMore: !isId && nextCursor !== null } };
    },
    async read(uri) {
      const id = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : '';
      if (!/^\w+$/.test(id)) throw new NotFoundError('resource', uri.slice(0, 100));
      const { draft } = await content.get(id);
      return { contents: [{ uri, mimeType: MARKDOWN, text: entryMarkdown(draft) }] };
    },
  };
}
