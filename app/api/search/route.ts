import { sessionHitPageSchema } from '#server/core/conversation/search-hits';
import { route } from '#server/http/route';
import { searchAllQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary:
      'Full-text search in all sessions of the caller on this site or in one, what was compacted too; the newest first',
    answer: sessionHitPageSchema,
    access: 'chat',
    query: searchAllQuery,
  },
  async ({ query: { q, session, ...page }, principal: { userId: ownerId, sites: theirs }, services, anySession }) => {
    const scope =
      session === undefined
        ? { ownerId, sites: { theirs, elsewhere: services.sites.otherThan(services.requireSite()) } }
        : { sessionId: (await anySession(session)).id };
    return services.searchSessions(scope, q, page);
  },
);
