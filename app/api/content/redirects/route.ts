import { redirectListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'Old addresses that still lead on, newest first', answer: redirectListSchema, access: 'content:read' },
  async ({ services }) => ({
    items: await services.content.redirects(),
  }),
);
