import { showPicture } from '#server/site/public/pictures';
import { hasRightOnSite } from '#server/http/admission';
import { route } from '#server/http/route';
import { content as file } from '#server/http/schemas/route-answer';
import { mediaFileParams, mediaFileQuery } from '#server/http/schemas/media';

export const GET = route(
  {
    summary: 'A picture of the site: for everybody where something published shows it, else for who may see drafts',
    answer: { 200: file('image/*', 'The picture, or a small one of it.') },
    access: 'public',
    params: mediaFileParams,
    query: mediaFileQuery,
  },
  async ({ params, query, request, services }) => {
    const siteId = await services.siteOfPicture(params.id);
    const { content } = services.at(siteId);
    const maySeeDrafts = () => hasRightOnSite(services, 'content:read', request, siteId);
    return showPicture(content, { ...params, ...query }, request, maySeeDrafts);
  },
);
