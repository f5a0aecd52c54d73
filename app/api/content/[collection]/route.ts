import { created } from '#server/http/responses';
import { route } from '#server/http/route';
import { collectionParams, createEntryBody, listEntriesQuery } from '#server/http/schemas/content';

export const GET = route(
  { access: 'owner', params: collectionParams, query: listEntriesQuery },
  async ({ params, query, services }) => services.content.list({ type: params.collection, ...query }),
);

export const POST = route(
  { access: 'owner', params: collectionParams, body: createEntryBody },
  async ({ params, body, services }) =>
    created(await services.content.create({ type: params.collection, ...body }, { actor: 'api' })),
);
