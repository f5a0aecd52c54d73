import { route } from '#server/http/route';
import { entryParams, updateEntryBody } from '#server/http/schemas/content';

export const GET = route({ access: 'owner', params: entryParams }, async ({ params, services }) =>
  services.content.get(params.ref, params.collection),
);

export const PATCH = route(
  { access: 'owner', params: entryParams, body: updateEntryBody },
  async ({ params, body, services: { content } }) => {
    const { id } = await content.get(params.ref, params.collection);
    return content.patch(id, body.operations, { actor: 'api' }, { ifRevision: body.ifRevision });
  },
);

export const DELETE = route({ access: 'owner', params: entryParams }, async ({ params, services: { content } }) => {
  const { id } = await content.get(params.ref, params.collection);
  return content.delete(id, { actor: 'api' });
});
