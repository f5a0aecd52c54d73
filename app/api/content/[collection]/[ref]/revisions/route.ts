import { changeListSchema } from '#server/core/site/site-lists';
import { idOfEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { entryParams, revisionsQuery } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: "The changes of an entry, newest first; a deleted entry's too, by its id",
    answer: changeListSchema,
    access: 'content:read',
    params: entryParams,
    query: revisionsQuery,
  },
  async ({ params, query, services: { content } }) => {
    const targetId = await idOfEntry(content, params.ref, params.collection);
    return { items: await content.changes({ targetId, limit: query.limit }) };
  },
);
