import { NotFoundError } from '#server/core/errors';
import { pictureResponse } from '#server/http/files';
import { mayEnter, route } from '#server/http/route';
import { content as file } from '#server/http/schemas/answer';
import { mediaFileParams, mediaFileQuery } from '#server/http/schemas/files';

/**
 * A picture of the site: for everybody as long as something published shows it, also from the trash; one of drafts and of
 * the library, and the bytes that one had before, for who may see those.
 */
export const GET = route(
  {
    summary: 'A picture of the site: for everybody where something published shows it, else for who may see drafts',
    answer: { 200: file('image/*', 'The picture, or a small one of it.') },
    access: 'public',
    params: mediaFileParams,
    query: mediaFileQuery,
  },
  async ({ params: { id, filename }, query, request, services }) => {
    const { assets } = services.content;
    const asset = await assets.get(id, query.version);
    if (!(await assets.isServedAs(id, filename))) throw new NotFoundError('picture', id);
    const isFormer = query.version !== undefined;
    const isPublic = !isFormer && (await assets.isPublished(id));
    const isShown =
      isPublic || ((isFormer || asset.deletedAt === null) && (await mayEnter(services, 'content:read', request)));
    if (!isShown) throw new NotFoundError('picture', id);
    return pictureResponse(assets, asset, { ...query, isPublic }, request);
  },
);
