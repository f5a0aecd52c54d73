import { route } from '#server/http/route';
import { listOf } from '#server/http/schemas/answers/fields';
import { historyHitSchema } from '#server/http/schemas/answers/sessions';
import { searchQuery } from '#server/http/schemas/search';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Full-text search in a session, what was compacted too; the best first',
    answer: listOf(historyHitSchema),
    access: 'chat',
    params: sessionParams,
    query: searchQuery,
  },
  async ({ params, query, services, anySession }) => {
    const { id } = await anySession(params.id);
    return { items: await services.history.search(id, query.q, { limit: query.limit }) };
  },
);
