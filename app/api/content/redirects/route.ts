import { route } from '#server/http/route';
import { redirectListSchema } from '#server/http/schemas/content-answers';

export const GET = route(
  { summary: 'Old addresses that still lead on, newest first', answer: redirectListSchema, access: 'content:read' },
  async ({ services }) => ({
    items: await services.content.redirects(),
  }),
);
