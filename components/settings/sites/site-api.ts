import { api } from '#components/api/api-client.ts';
import type { SitesReport, SiteTest } from '#server/core/site/remote-site';

/** Path of the report about the built-in site and all connected ones, with the default site; also the SWR key. */
export const SITES_PATH = '/api/settings/sites';

/** Id of the built-in site. */
export const OWN_SITE = 'embedded';

/** Connection data of a WordPress site, as typed. */
export interface SiteConnectionInput {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** `name:password` for a web server that requires them before WordPress. */
  readonly proxy?: string;
}

/** Requests about the connected sites. All throw ApiError. */
export const siteApi = {
  connect: (site: SiteConnectionInput) => api.json<SitesReport>('POST', SITES_PATH, site),
  /** Tests the connection; stores nothing. */
  test: (site: SiteConnectionInput) => api.json<SiteTest>('POST', `${SITES_PATH}/test`, site),
  change: (id: string, changes: Partial<Omit<SiteConnectionInput, 'url'>>) =>
    api.json<SitesReport>('PATCH', `${SITES_PATH}/${id}`, changes),
  /** Makes a site the default site. */
  activate: (siteId: string) => api.json<SitesReport>('POST', `${SITES_PATH}/active`, { siteId }),
  /** Starts to import changes made in WordPress. */
  pull: (id: string) => api.json<SitesReport>('POST', `${SITES_PATH}/${id}/pull`),
  disconnect: (id: string) => api.json<undefined>('DELETE', `${SITES_PATH}/${id}`),
};
