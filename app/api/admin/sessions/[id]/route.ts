import { sessionOverviewSchema } from '#server/core/conversation/session-overview';
import { route } from '#server/http/route';
import { sessionParams } from '#server/http/schemas/sessions';

export const GET = route(
  { summary: 'One session with its figures', answer: sessionOverviewSchema, access: 'admin', params: sessionParams },
  async ({ params, services }) => services.overviews.get(params.id),
);
