import { siteTestSchema } from '#server/core/site/remote-site';
import { route } from '#server/http/route';
import { siteConnectionBody } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries to reach a WordPress site that is not connected',
    answer: siteTestSchema,
    access: 'admin',
    isFresh: true,
    body: siteConnectionBody,
  },
  async ({ body, services, audit }) => {
    const outcome = await services.sites.test(body);
    await audit('site-tested', { target: new URL(body.url).origin });
    return outcome;
  },
);
