import { historyPageSchema } from '#server/core/conversation/history';
import { route } from '#server/http/route';
import { sessionParams, historyQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'The thread of a session: its answers that changed the site, steps by hand and summaries, newest first',
    answer: historyPageSchema,
    access: 'chat',
    params: sessionParams,
    query: historyQuery,
  },
  async ({ params, query, services, ownSession }) => services.thread(await ownSession(params.id), query),
);
