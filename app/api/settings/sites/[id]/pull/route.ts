import { sitesSchema } from '#server/core/site/remote-site';
import { route } from '#server/http/route';
import { siteParams } from '#server/http/schemas/settings';

export const POST = route(
  {
    summary: 'Begins to take over what has changed on a connected site',
    answer: sitesSchema,
    access: 'admin',
    params: siteParams,
  },
  async ({ params, services }) => {
    await services.sites.pull(params.id);
    return services.sites.report();
  },
);
