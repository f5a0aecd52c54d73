import { contextSchema } from '#server/core/conversation/context-report';
import { REPORTED_COMPACTIONS } from '#server/core/limits';
import { route } from '#server/http/route';
import { contextQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'How full the context of a session is, and what fills it',
    answer: contextSchema,
    access: 'chat',
    params: sessionParams,
    query: contextQuery,
  },
  async ({ params, query, services, anySession }) => {
    const session = await anySession(params.id);
    const { usage, prunableTokens } = await services.context.inspect(session, query.modelId);
    const { compactionCount, lastCompactionAt, currentlyCompacting, compactingSince } = session;
    return {
      ...usage,
      cost: { total: null, ...usage.cost },
      prunableTokens,
      compactionCount,
      lastCompactionAt,
      currentlyCompacting,
      compactingSince,
      compactions: await services.compactions.list(session.id, { most: REPORTED_COMPACTIONS }),
    };
  },
);
