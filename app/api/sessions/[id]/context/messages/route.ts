import { contextRequest } from '#server/agent/session-context';
import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { access: 'owner', params: sessionParams, query: contextQuery },
  async ({ params, query, services }) => {
    const session = await services.sessions.get(params.id);
    const { messages } = await services.context.inspect(contextRequest(services.models, session, query.modelId));
    return { messages };
  },
);
