import { assetChangeSchema } from '#server/core/site/changes';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { fetchAssetBody } from '#server/http/schemas/media';
import { tryQuery } from '#server/http/schemas/journal';

export const POST = route(
  {
    summary: 'Adds a picture from an address on the public internet; a dry run answers with 200',
    answer: { 201: assetChangeSchema, 200: assetChangeSchema },
    access: 'content:write',
    query: tryQuery,
    body: fetchAssetBody,
  },
  async ({ query, body: { url, filename, alt }, origin, request, services: { content } }) => {
    const file = await content.assets.download(url, request.signal);
    const picture = { data: file.data, filename: filename ?? file.filename, alt };
    const change = await content.assets.add(picture, origin, query);
    return query.dryRun === true ? change : created(change);
  },
);
