import { versionListSchema } from '#server/core/site/site-lists';
import { idOfEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: "The states that an entry had, newest first; a deleted entry's too, by its id",
    answer: versionListSchema,
    access: 'content:read',
    params: entryParams,
  },
  async ({ params, services: { content } }) => ({
    items: await content.versions(await idOfEntry(content, params.ref, params.collection)),
  }),
);
