import { threadPageSchema } from '#server/core/thread';
import { route } from '#server/http/route';
import { sessionParams, threadQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'The thread of a session: its answers that changed the site, steps by hand and summaries, newest first',
    answer: threadPageSchema,
    access: 'chat',
    params: sessionParams,
    query: threadQuery,
  },
  async ({ params, query, services, ownSession }) => services.thread(await ownSession(params.id), query),
);
