import { type ContextHistory, contextHistorySchema } from '#server/core/conversation/context-report';
import { CHARTED_COMPACTIONS } from '#server/core/limits';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'How full the context was over time, and its compactions',
    answer: contextHistorySchema,
    access: 'chat',
    params: sessionParams,
  },
  async ({ params, services, anySession }) => {
    const { id } = await anySession(params.id);
    const [samples, compactions] = await Promise.all([
      services.samples.list(id),
      services.compactions.list(id, { most: CHARTED_COMPACTIONS }),
    ]);
    return { samples, compactions: compactions.toReversed() } satisfies ContextHistory;
  },
);
