import { trashPageSchema } from '#server/core/site/trash';
import { route } from '#server/http/route';
import { trashQuery } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: 'What was deleted and can be brought back, the last first',
    answer: trashPageSchema,
    access: 'content:read',
    query: trashQuery,
  },
  async ({ query, services }) => services.trash(query),
);
