import { scheduledPageSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { scheduledQuery } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'What is published by itself at a time to come, the next one first',
    answer: scheduledPageSchema,
    access: 'content:read',
    query: scheduledQuery,
  },
  async ({ query, services }) => services.planned(query),
);
