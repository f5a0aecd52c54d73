import { assetChangeSchema } from '#server/core/site/changes';
import { MAX_PICTURE_BYTES, pictureExtensions } from '#server/core/limits';
import { assetListSchema } from '#server/core/site/site-lists';
import { created } from '#server/http/json-responses';
import { bytesBody } from '#server/http/read-body';
import { route } from '#server/http/route';
import { addAssetQuery, listAssetsQuery } from '#server/http/schemas/media';

export const GET = route(
  {
    summary: 'The pictures of the media library, newest first',
    answer: assetListSchema,
    access: 'content:read',
    query: listAssetsQuery,
  },
  async ({ query: { q, missingAlt, unused, ...query }, services: { content, usedPictures } }) => {
    const used = unused === '1' ? (await usedPictures()).flatMap(({ assetId }) => assetId ?? []) : undefined;
    return content.assets.list({ ...query, text: q, missingAlt: missingAlt === '1', except: used });
  },
);

export const POST = route(
  {
    summary: 'Adds a picture, sent as it is; a dry run answers with 200',
    answer: { 201: assetChangeSchema, 200: assetChangeSchema },
    access: 'content:draft',
    query: addAssetQuery,
    body: bytesBody,
    mediaTypes: Object.keys(pictureExtensions),
    bodyLimit: MAX_PICTURE_BYTES,
  },
  async ({ query: { dryRun, ...details }, body, origin, services: { content } }) => {
    const change = await content.assets.add({ data: body, ...details }, origin, { dryRun });
    return dryRun === true ? change : created(change);
  },
);
