import { siteChoicesSchema } from '#server/core/site/remote-site';
import { route } from '#server/http/route';

export const GET = route(
  {
    summary:
      'The sites that the caller may work on; any request may name one of them in `x-site`, as a header or in its query',
    answer: siteChoicesSchema,
    access: 'signed-in',
  },
  async ({ services: { sites, chosenSite }, principal }) => ({
    items: await sites.choices(principal.sites),
    currentId: chosenSite,
    standardId: sites.standardId,
  }),
);
