import { route } from '#server/http/route';
import { searchQuery } from '#server/http/schemas/search';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { access: 'owner', params: sessionParams, query: searchQuery },
  async ({ params, query, services }) => {
    const { id } = await services.sessions.get(params.id);
    return { items: await services.history.search(id, query.q, { limit: query.limit }) };
  },
);
