import { EMBEDDED_SITE } from '#server/core/content';
import { sitesSchema } from '#server/core/remote-site';
import { route } from '#server/http/route';
import { activeSiteBody } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Makes a connected site, or our own, the one that is worked on',
    answer: sitesSchema,
    access: 'admin',
    body: activeSiteBody,
  },
  async ({ body, services, audit }) => {
    // One that died with its process must not keep everybody from switching.
    await services.imports.settle();
    const name = await services.sites.activate(body.siteId);
    await audit('site-activated', { target: name ?? EMBEDDED_SITE, details: { id: body.siteId } });
    return services.sites.report();
  },
);
