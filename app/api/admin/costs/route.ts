import { costsSchema } from '#server/core/admin/spending';
import { route } from '#server/http/route';
import { costsQuery } from '#server/http/schemas/costs';

export const GET = route(
  {
    summary: 'What models have cost by day, model, person, conversation or purpose, and what was saved',
    answer: costsSchema,
    access: 'admin',
    query: costsQuery,
  },
  async ({ query, services }) => services.costs(query),
);
