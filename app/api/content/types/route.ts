import { typeListSchema } from '#server/core/site/type-descriptions';
import { route } from '#server/http/route';

export const GET = route(
  { summary: 'Types of entries and sections, in one line each', answer: typeListSchema, access: 'content:read' },
  async ({ services }) => services.content.types(),
);
