import { plannedPageSchema } from '#server/core/site-lists';
import { route } from '#server/http/route';
import { plannedQuery } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'What is published by itself at a time to come, the next one first',
    answer: plannedPageSchema,
    access: 'content:read',
    query: plannedQuery,
  },
  async ({ query, services }) => services.planned(query),
);
