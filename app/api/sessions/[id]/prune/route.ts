import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route({ access: 'owner', params: sessionParams }, async ({ params, services }) =>
  services.context.prune(await services.sessions.get(params.id)),
);
