import { route } from '#server/http/route';
import { overviewsQuery, sessionOverviewSchema } from '#server/http/schemas/admin';
import { pageOf } from '#server/http/schemas/fields';

export const GET = route(
  {
    summary: 'Everybody’s sessions with their figures, the last used first',
    answer: pageOf(sessionOverviewSchema),
    access: 'admin',
    query: overviewsQuery,
  },
  async ({ query, services }) => services.overviews.list(query),
);
