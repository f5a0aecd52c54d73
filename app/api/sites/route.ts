import { siteListSchema } from '#server/core/remote-site';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'The sites that can be worked on', answer: siteListSchema, access: 'content:read' },
  async ({ services: { sites } }) => ({ items: await sites.choices() }),
);
