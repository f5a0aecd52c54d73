import { referenceListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'What links to an entry, stands below it or leads to it by the navigation',
    answer: referenceListSchema,
    access: 'content:read',
    params: entryParams,
  },
  async ({ params, services: { content } }) => {
    const entry = await content.get(params.ref, params.collection);
    return { items: await content.referencesTo(content.refOf(entry)) };
  },
);
