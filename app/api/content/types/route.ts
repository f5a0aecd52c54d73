import { route } from '#server/http/route';
import { typeListSchema } from '#server/http/schemas/content-answers';

export const GET = route(
  { summary: 'Types of entries and sections, in one line each', answer: typeListSchema, access: 'content:read' },
  async ({ services }) => services.content.types(),
);
