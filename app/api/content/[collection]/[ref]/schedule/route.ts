import { entryChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { entryParams, scheduleBody } from '#server/http/schemas/content';
import { writeQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Plans the publication of the draft, or takes the plan back',
    answer: entryChangeSchema,
    access: 'content:write',
    params: entryParams,
    query: writeQuery,
    body: scheduleBody,
  },
  async ({ params, query, body, origin, services: { content } }) => {
    const { id } = await content.get(params.ref, params.collection);
    const { ifRevision = body.ifRevision } = query;
    return content.schedule(id, body.publishAt, origin, { ...query, ifRevision });
  },
);
