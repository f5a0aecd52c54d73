import { entryChangeSchema } from '#server/core/changes';
import { placedEntrySchema } from '#server/core/site-lists';
import { entryAction, placedEntry } from '#server/http/entry-action';
import { route } from '#server/http/route';
import { entryParams, updateEntryBody } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';

export const GET = route(
  { summary: 'An entry, and where it is', answer: placedEntrySchema, access: 'content:read', params: entryParams },
  async ({ params, services }) => {
    return placedEntry(services, await services.content.get(params.ref, params.collection));
  },
);

export const PATCH = route(
  {
    summary: 'Changes fields and sections of the draft, all or nothing',
    answer: entryChangeSchema,
    access: 'content:draft',
    params: entryParams,
    query: writeQuery,
    body: updateEntryBody,
  },
  async ({ params, query, body, origin, services: { content } }) => {
    const { id } = await content.get(params.ref, params.collection);
    const { ifRevision: known, ...options } = body.options;
    const { ifRevision = known } = query;
    return content.patch(id, body.operations, origin, { ...query, ...options, ifRevision });
  },
);

export const DELETE = entryAction(
  'Puts an entry into the trash',
  (content, ...write) => content.trash(...write),
  'content:write',
);
