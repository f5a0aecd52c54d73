import { sitesSchema } from '#server/core/site/remote-site';
import { noContent } from '#server/http/json-responses';
import { route } from '#server/http/route';
import { siteChangesBody, siteParams } from '#server/http/schemas/settings';

export const PATCH = route(
  {
    summary: 'Changes the user or password of a connected site',
    answer: sitesSchema,
    access: 'admin',
    isFresh: true,
    params: siteParams,
    body: siteChangesBody,
  },
  async ({ params, body, services, audit }) => {
    const { name } = await services.sites.update(params.id, body);
    await audit('site-changed', { target: name, details: { id: params.id, changed: Object.keys(body) } });
    return services.sites.report();
  },
);

export const DELETE = route(
  {
    summary: 'Disconnects a WordPress site; nothing changes on the site itself',
    answer: { 204: null },
    access: 'admin',
    isFresh: true,
    params: siteParams,
  },
  async ({ params, services, audit }) => {
    // An import whose process died must not block the disconnect.
    await services.imports.settle();
    const { name, url } = await services.sites.disconnect(params.id);
    await audit('site-disconnected', { target: name, details: { id: params.id, url } });
    return noContent();
  },
);
