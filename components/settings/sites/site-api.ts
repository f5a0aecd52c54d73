import { api } from '#components/api/api-client.ts';
import type { Body } from '#components/api/routes.ts';

/** Id of the built-in site. */
export const OWN_SITE = 'embedded';

/** Connection data of a WordPress site, as typed. */
export type SiteConnectionInput = Body<'POST', '/api/settings/sites'>;

/** Requests about the connected sites. All throw ApiError. */
export const siteApi = {
  connect: (body: SiteConnectionInput) => api.request('POST', '/api/settings/sites', { body }),
  /** Tests the connection; stores nothing. */
  test: (body: SiteConnectionInput) => api.request('POST', '/api/settings/sites/test', { body }),
  change: (id: string, body: Body<'PATCH', '/api/settings/sites/{id}'>) =>
    api.request('PATCH', '/api/settings/sites/{id}', { params: { id }, body }),
  /** Makes a site the default site. */
  activate: (siteId: string) => api.request('POST', '/api/settings/sites/active', { body: { siteId } }),
  /** Starts to import changes made in WordPress. */
  pull: (id: string) => api.request('POST', '/api/settings/sites/{id}/pull', { params: { id } }),
  disconnect: (id: string) => api.request('DELETE', '/api/settings/sites/{id}', { params: { id } }),
};
