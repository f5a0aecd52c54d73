import { route } from '#server/http/route';
import { listMessagesQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { access: 'owner', params: sessionParams, query: listMessagesQuery },
  async ({ params, query, services }) => {
    const { id } = await services.sessions.get(params.id);
    if (query.format === 'ui') return { items: await services.transcript(id), nextCursor: null };
    const { cursor, limit } = query;
    return services.messages.list(id, { cursor, limit, summaries: query.summaries === '1' });
  },
);
