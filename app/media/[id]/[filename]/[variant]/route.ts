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
  ({ params: { id, filename, variant }, request, services }) =>
    showVariant(services, { id, version: filename, name: variant }, () => mayEnter(services, 'content:read', request)),
);
