import { usedPictureListSchema } from '#server/core/site/site-lists';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary: 'The pictures that pages and posts show, in the library or not, and where',
    answer: usedPictureListSchema,
    access: 'content:read',
  },
  async ({ services }) => ({ items: await services.usedPictures() }),
);
