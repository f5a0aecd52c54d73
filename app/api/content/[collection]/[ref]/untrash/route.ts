import { entryChangeSchema } from '#server/core/site/changes';
import { idOfEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Brings an entry back from the trash, by its id',
    answer: entryChangeSchema,
    access: 'content:write',
    params: entryParams,
    query: writeQuery,
  },
  async ({ params, query, origin, services: { content } }) =>
    content.restore(await idOfEntry(content, params.ref, params.collection), origin, query),
);
