import { typeDetailSchema } from '#server/core/site/type-descriptions';
import { route } from '#server/http/route';
import { typeParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'Every field of one type of entry or section',
    answer: typeDetailSchema,
    access: 'content:read',
    params: typeParams,
  },
  async ({ params, services }) => services.content.type(params.name),
);
