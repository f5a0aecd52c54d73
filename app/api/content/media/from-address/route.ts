import { assetChangeSchema } from '#server/core/changes';
import { created } from '#server/http/schemas/answer';
import { route } from '#server/http/route';
import { fetchAssetBody } from '#server/http/schemas/files';

export const POST = route(
  {
    summary: 'Adds a picture from an address on the public internet',
    answer: { 201: assetChangeSchema },
    access: 'content:write',
    body: fetchAssetBody,
  },
  async ({ body: { url, filename, alt }, origin, request, services: { content } }) => {
    const file = await content.assets.download(url, request.signal);
    return created(await content.assets.add({ data: file.data, filename: filename ?? file.filename, alt }, origin));
  },
);
