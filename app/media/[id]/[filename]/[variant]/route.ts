import { showVariant } from '#server/public-site/pictures';
import { mayEnter, route } from '#server/http/route';
import { content as file } from '#server/http/schemas/answer';
import { pictureVariantParams } from '#server/http/schemas/files';

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
    const maySeeDrafts = () => mayEnter(services, 'content:read', request, siteId);
    return showVariant({ ...services, content }, { id, version: filename, name: variant }, maySeeDrafts);
  },
);
