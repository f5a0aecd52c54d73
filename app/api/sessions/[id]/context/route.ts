import { contextRequest } from '#server/agent/session-context';
import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { access: 'owner', params: sessionParams, query: contextQuery },
  async ({ params, query, services }) => {
    const session = await services.sessions.get(params.id);
    const request = contextRequest(services.models, session, query.modelId);
    const { usage, prunableTokens } = await services.context.inspect(request);
    const { compactionCount, lastCompactionAt, currentlyCompacting, compactingSince } = session;
    const compactions = await services.compactions.list(session.id);
    return {
      ...usage,
      prunableTokens,
      compactionCount,
      lastCompactionAt,
      currentlyCompacting,
      compactingSince,
      compactions,
    };
  },
);
