import { noContent } from '#server/http/responses';
import { route } from '#server/http/route';
import { sessionParams, updateSessionBody } from '#server/http/schemas/sessions';

export const GET = route({ access: 'owner', params: sessionParams }, async ({ params, services }) =>
  services.sessions.get(params.id),
);

export const PATCH = route(
  { access: 'owner', params: sessionParams, body: updateSessionBody },
  async ({ params, body, services }) => {
    if (body.modelId) services.models.limits(body.modelId);
    return services.sessions.update(params.id, body);
  },
);

export const DELETE = route({ access: 'owner', params: sessionParams }, async ({ params, services }) => {
  await services.sessions.delete(params.id);
  return noContent();
});
