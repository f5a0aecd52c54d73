import { route } from '#server/http/route';
import { trashPageSchema } from '#server/http/schemas/answers/content';
import { trashQuery } from '#server/http/schemas/trash';

export const GET = route(
  {
    summary: 'What was deleted and can be brought back, the last first',
    answer: trashPageSchema,
    access: 'content:read',
    query: trashQuery,
  },
  async ({ query, services }) => services.trash(query),
);
