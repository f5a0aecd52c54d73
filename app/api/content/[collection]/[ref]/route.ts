import { entryChangeSchema } from '#server/core/site/changes';
import { placedEntrySchema } from '#server/core/site/site-lists';
import { entryAction, placedEntry, withOtherCustomFields } from '#server/http/entry-routes';
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
    const entry = await content.get(params.ref, params.collection);
    const operations = withOtherCustomFields(entry, body.operations);
    const { ifRevision: known, ...options } = body.options;
    const { ifRevision = known } = query;
    return content.patch(entry.id, operations, origin, { ...query, ...options, ifRevision });
  },
);

export const DELETE = entryAction(
  'Puts an entry into the trash',
  (content, ...write) => content.trash(...write),
  'content:write',
);
