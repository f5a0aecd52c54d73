import { NotFoundError } from '#server/core/errors';
import { content as file } from '#server/http/answer';
import { pictureResponse } from '#server/http/picture';
import { route } from '#server/http/route';
import { mediaFileParams, mediaFileQuery } from '#server/http/schemas/media';

/** A picture of the site, for everybody. One in the trash, as long as something that is published still shows it. */
export const GET = route(
  {
    summary: 'A picture of the site, for everybody',
    answer: { 200: file('image/*', 'The picture, or a small one of it.') },
    access: 'public',
    params: mediaFileParams,
    query: mediaFileQuery,
  },
  async ({ params: { id }, query, request, services: { content } }) => {
    const asset = await content.assets.get(id);
    if (asset.deletedAt !== null) {
      const references = await content.referencesTo({ type: 'asset', id });
      if (!references.some(({ isPublished }) => isPublished)) throw new NotFoundError('picture', id);
    }
    return pictureResponse(content.assets, asset, query.size, request);
  },
);
