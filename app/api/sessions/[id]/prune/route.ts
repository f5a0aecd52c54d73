import { contextRequest } from '#server/agent/session-context';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const POST = route({ access: 'owner', params: sessionParams }, async ({ params, services }) => {
  const session = await services.sessions.get(params.id);
  return services.context.prune(contextRequest(services.models, session, null), 'manual');
});
