import { tagListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'The tags of pages and posts, the most used first', answer: tagListSchema, access: 'content:read' },
  async ({ services }) => ({
    items: await services.content.tags(),
  }),
);
