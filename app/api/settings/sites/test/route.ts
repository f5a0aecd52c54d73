import { siteTestSchema } from '#server/core/remote-site';
import { route } from '#server/http/route';
import { siteConnectionBody } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Tries to reach a WordPress site that is not connected',
    answer: siteTestSchema,
    access: 'admin',
    body: siteConnectionBody,
  },
  async ({ body, services }) => services.sites.test(body),
);
