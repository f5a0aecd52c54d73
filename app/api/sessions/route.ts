import { created } from '#server/http/responses';
import { route } from '#server/http/route';
import { createSessionBody, listSessionsQuery } from '#server/http/schemas/sessions';
import { LOCAL_OWNER } from '#server/services';

export const GET = route({ access: 'owner', query: listSessionsQuery }, async ({ query, services }) =>
  services.sessions.list({ ownerId: LOCAL_OWNER, ...query }),
);

export const POST = route({ access: 'owner', body: createSessionBody }, async ({ body, services }) => {
  if (body.modelId !== undefined) services.models.limits(body.modelId);
  return created(await services.sessions.create({ ...body, ownerId: LOCAL_OWNER }));
});
