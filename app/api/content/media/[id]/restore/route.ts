import { assetChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { assetParams } from '#server/http/schemas/media';
import { writeQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Brings a picture back from the trash',
    answer: assetChangeSchema,
    access: 'content:write',
    params: assetParams,
    query: writeQuery,
  },
  async ({ params, query, origin, services: { content } }) => content.assets.restore(params.id, origin, query),
);
