import { changePageSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { changesQuery } from '#server/http/schemas/journal';

/**
 * The journal, newest first, or oldest first after a change; `nextCursor` is the id of the last change in the response.
 */
export const GET = route(
  {
    summary: 'The journal of all changes, newest first; `after` one, oldest first',
    answer: changePageSchema,
    access: 'content:read',
    query: changesQuery,
  },
  async ({ query, services: { content } }) => {
    const items = await content.changes(query);
    return { items, nextCursor: items.length < query.limit ? null : (items.at(-1)?.id ?? null) };
  },
);
