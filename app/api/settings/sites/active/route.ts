import { sitesSchema } from '#server/core/site/remote-site';
import { serverText } from '#server/core/messages/server-text';
import { route } from '#server/http/route';
import { activeSiteBody } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Makes a connected site, or our own, the standard one: of visitors below /site, and of whoever names none',
    answer: sitesSchema,
    access: 'admin',
    isFresh: true,
    body: activeSiteBody,
  },
  async ({ body, services, audit }) => {
    const name = await services.sites.activate(body.siteId);
    await audit('site-activated', { target: name ?? serverText('audit-own-site'), details: { id: body.siteId } });
    return services.sites.report();
  },
);
