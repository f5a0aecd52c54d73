import { sessionHitPageSchema } from '#server/core/messages';
import { route } from '#server/http/route';
import { searchAllQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Full-text search in all sessions of the caller, what was compacted too; the newest first',
    answer: sessionHitPageSchema,
    access: 'chat',
    query: searchAllQuery,
  },
  async ({ query: { q, ...page }, principal, services }) => services.searchSessions(principal.userId, q, page),
);
