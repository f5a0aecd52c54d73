import { sitesSchema } from '#server/core/site/remote-site';
import { created } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { siteConnectionBody } from '#server/http/schemas/settings';

export const GET = route(
  { summary: 'Which site is worked on, and the connected WordPress sites', answer: sitesSchema, access: 'admin' },
  async ({ services }) => services.sites.report(),
);

export const POST = route(
  {
    summary: 'Connects a WordPress site and begins to take over its content',
    answer: { 201: sitesSchema },
    access: 'admin',
    isFresh: true,
    body: siteConnectionBody,
  },
  async ({ body, services, audit }) => {
    const { id, name, url } = await services.sites.connect(body);
    await audit('site-connected', { target: name, details: { id, url } });
    return created(await services.sites.report());
  },
);
