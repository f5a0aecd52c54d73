import { historyHitListSchema } from '#server/core/conversation/search-hits';
import { route } from '#server/http/route';
import { searchQuery, sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Full-text search in a session, what was compacted too; the best first',
    answer: historyHitListSchema,
    access: 'chat',
    params: sessionParams,
    query: searchQuery,
  },
  async ({ params, query, services, anySession }) => {
    const { id } = await anySession(params.id);
    return { items: await services.history.search(id, query.q, { limit: query.limit }) };
  },
);
