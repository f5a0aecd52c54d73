import { assetChangeSchema } from '#server/core/site/changes';
import { MAX_PICTURE_BYTES, pictureExtensions } from '#server/core/limits';
import { bytesBody } from '#server/http/read-body';
import { route } from '#server/http/route';
import { assetParams, replaceAssetQuery } from '#server/http/schemas/media';

export const POST = route(
  {
    summary: 'Other bytes, sent as they are, at the same id and address',
    answer: assetChangeSchema,
    access: 'content:write',
    params: assetParams,
    query: replaceAssetQuery,
    body: bytesBody,
    mediaTypes: Object.keys(pictureExtensions),
    bodyLimit: MAX_PICTURE_BYTES,
  },
  async ({ params, query: { filename, ...options }, body, origin, services: { content } }) =>
    content.assets.replace(params.id, { data: body, filename }, origin, options),
);
