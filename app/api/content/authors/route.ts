import { authorListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary: 'The authors that pages and posts name, those with the most entries first',
    answer: authorListSchema,
    access: 'content:read',
  },
  async ({ services }) => ({ items: await services.content.authors() }),
);
