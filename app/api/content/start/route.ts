import { startResultSchema } from '#server/core/site/starter/starter';
import { route } from '#server/http/route';
import { startBody } from '#server/http/schemas/starter';

export const POST = route(
  {
    summary:
      'Makes the first pages, the design, the menu and the settings of an empty site from a starter kit, as drafts',
    answer: startResultSchema,
    access: 'content:write',
    body: startBody,
  },
  async ({ body, origin, services: { content, startSite } }) => startSite(content, body, origin),
);
