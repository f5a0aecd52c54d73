import { entryDifferencesSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';
import { differencesQuery } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: 'The differences between two versions of an entry; by default all its unpublished changes',
    answer: entryDifferencesSchema,
    access: 'content:read',
    params: entryParams,
    query: differencesQuery,
  },
  async ({ params, query, services: { content } }) => ({
    fields: await content.differences(await content.get(params.ref, params.collection), query),
  }),
);
