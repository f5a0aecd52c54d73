import { sessionOverviewPageSchema } from '#server/core/conversation/session-overview';
import { route } from '#server/http/route';
import { overviewsQuery } from '#server/http/schemas/sessions';

export const GET = route(
  {
    summary: 'Everybody’s sessions with their figures, the last used first',
    answer: sessionOverviewPageSchema,
    access: 'admin',
    query: overviewsQuery,
  },
  async ({ query, services }) => services.overviews.list(query),
);
