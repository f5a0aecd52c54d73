import { entryChangeSchema } from '#server/core/site/changes';
import { idOfEntry } from '#server/http/entry-routes';
import { route } from '#server/http/route';
import { entryParams, restoreBody } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Puts the draft back to what it was after a revision; a deleted entry comes back, by its id',
    answer: entryChangeSchema,
    access: 'content:draft',
    params: entryParams,
    query: writeQuery,
    body: restoreBody,
  },
  async ({ params, query, body, origin, services: { content } }) => {
    const id = await idOfEntry(content, params.ref, params.collection);
    return content.restoreVersion(id, body.revision, origin, query);
  },
);
