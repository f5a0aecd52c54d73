import { entryChangeSchema } from '#server/core/site/changes';
import { entryListSchema } from '#server/core/site/site-lists';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { collectionParams, createEntryBody, listEntriesQuery } from '#server/http/schemas/content';
import { tryQuery } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: 'The entries of a collection, in pages',
    answer: entryListSchema,
    access: 'content:read',
    params: collectionParams,
    query: listEntriesQuery,
  },
  async ({ params, query, services }) => services.content.query({ type: params.collection, ...query }),
);

export const POST = route(
  {
    summary: 'Creates an entry as a draft; a dry run answers with 200',
    answer: { 201: entryChangeSchema, 200: entryChangeSchema },
    access: 'content:draft',
    params: collectionParams,
    query: tryQuery,
    body: createEntryBody,
  },
  async ({ params, query, body, origin, services: { content } }) => {
    const change = await content.create({ type: params.collection, ...body }, origin, query);
    return query.dryRun === true ? change : created(change);
  },
);
