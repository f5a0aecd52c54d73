import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { access: 'owner', params: sessionParams, query: contextQuery },
  async ({ params, query, services }) => {
    const session = await services.sessions.get(params.id);
    const { messages } = await services.context.inspect(session, query.modelId);
    return { messages };
  },
);
