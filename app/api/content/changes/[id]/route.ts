import { changeDetailSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { changeParams } from '#server/http/schemas/journal';

export const GET = route(
  {
    summary: 'One change, with what it altered field by field',
    answer: changeDetailSchema,
    access: 'content:read',
    params: changeParams,
  },
  async ({ params, services: { content } }) => content.change(params.id),
);
