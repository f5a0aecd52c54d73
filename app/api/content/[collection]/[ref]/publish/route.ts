import { publicationSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { entryParams } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Publishes the draft; does nothing where visitors see it already',
    answer: publicationSchema,
    access: 'content:write',
    params: entryParams,
    query: writeQuery,
  },
  async ({ params, query, origin, services: { content } }) => {
    const { id } = await content.get(params.ref, params.collection);
    return content.publish(id, origin, query);
  },
);
