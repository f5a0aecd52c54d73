import { issueListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';

export const GET = route(
  {
    summary: 'What is wrong with a draft, or should be looked at before it is published',
    answer: issueListSchema,
    access: 'content:read',
    params: entryParams,
  },
  async ({ params, services: { content } }) => {
    const { id } = await content.get(params.ref, params.collection);
    return { items: await content.validate(id) };
  },
);
