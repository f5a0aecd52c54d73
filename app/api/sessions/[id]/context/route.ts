import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { access: 'owner', params: sessionParams, query: contextQuery },
  async ({ params, query, services }) => {
    const session = await services.sessions.get(params.id);
    const { usage, prunableTokens } = await services.context.inspect(session, query.modelId);
    const { compactionCount, lastCompactionAt, currentlyCompacting, compactingSince } = session;
    return {
      ...usage,
      prunableTokens,
      compactionCount,
      lastCompactionAt,
      currentlyCompacting,
      compactingSince,
      compactions: await services.compactions.list(session.id),
    };
  },
);
