import { showVariant } from '#server/site/public/pictures';
import { hasRightOnSite } from '#server/http/admission';
import { route } from '#server/http/route';
import { content as file } from '#server/http/schemas/route-answer';
import { pictureVariantParams } from '#server/http/schemas/media';

export const GET = route(
  {
    summary: 'A picture of the site in one of its sizes',
    answer: { 200: file('image/*', 'The picture, smaller.') },
    access: 'public',
    params: pictureVariantParams,
  },
  async ({ params: { id, filename, variant }, request, services }) => {
    const siteId = await services.siteOfPicture(id);
    const { content } = services.at(siteId);
    const maySeeDrafts = () => hasRightOnSite(services, 'content:read', request, siteId);
    return showVariant({ ...services, content }, { id, version: filename, name: variant }, maySeeDrafts);
  },
);
