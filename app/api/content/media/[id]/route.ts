import { assetSchema } from '#server/core/site/content';
import { assetChangeSchema } from '#server/core/site/changes';
import { route } from '#server/http/route';
import { assetParams, updateAssetBody } from '#server/http/schemas/media';
import { writeQuery } from '#server/http/schemas/journal';

export const GET = route(
  { summary: 'One picture of the media library', answer: assetSchema, access: 'content:read', params: assetParams },
  async ({ params, services: { content } }) => content.assets.get(params.id),
);

export const PATCH = route(
  {
    summary: 'Changes what a picture is called, its description and tags',
    answer: assetChangeSchema,
    access: 'content:write',
    params: assetParams,
    query: writeQuery,
    body: updateAssetBody,
  },
  async ({ params, query, body, origin, services: { content } }) =>
    content.assets.update(params.id, body, origin, query),
);

export const DELETE = route(
  {
    summary: 'Puts a picture into the trash',
    answer: assetChangeSchema,
    access: 'content:write',
    params: assetParams,
    query: writeQuery,
  },
  async ({ params, query, origin, services: { content } }) => content.assets.trash(params.id, origin, query),
);
