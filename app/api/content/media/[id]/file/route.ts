import { content as file } from '#server/http/schemas/route-answer';
import { pictureResponse } from '#server/site/public/pictures';
import { route } from '#server/http/route';
import { assetParams, mediaFileQuery } from '#server/http/schemas/media';

export const GET = route(
  {
    summary: 'The bytes of a picture, also of one in the trash',
    answer: { 200: file('image/*', 'The picture, or a small one of it.') },
    access: 'content:read',
    params: assetParams,
    query: mediaFileQuery,
  },
  async ({ params, query, request, services: { content } }) =>
    pictureResponse(
      content.assets,
      await content.assets.get(params.id, query.version),
      { ...query, isPublic: false },
      request,
    ),
);
