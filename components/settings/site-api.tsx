import { api } from '#components/api/api-client';
import type { SitesReport, SiteTest } from '#server/core/remote-site';

/** Path of the report about all connectable sites, with the active one. */
export const SITES_PATH = '/api/settings/sites';

/** Id of the site that is kept here. */
export const OWN_SITE = 'embedded';

/** Connection of a WordPress site, as typed. */
export interface SiteConnectionInput {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** The sites of the REST API, as functions; see createApiClient. */
export const siteApi = {
  connect: (site: SiteConnectionInput) => api.json<SitesReport>('POST', SITES_PATH, site),
  /** Reaches it once; nothing is stored. */
  test: (site: SiteConnectionInput) => api.json<SiteTest>('POST', `${SITES_PATH}/test`, site),
  change: (id: string, changes: Partial<Omit<SiteConnectionInput, 'url'>>) =>
    api.json<SitesReport>('PATCH', `${SITES_PATH}/${id}`, changes),
  activate: (siteId: string) => api.json<SitesReport>('POST', `${SITES_PATH}/active`, { siteId }),
  /** Begins to take over what has changed there. */
  pull: (id: string) => api.json<SitesReport>('POST', `${SITES_PATH}/${id}/pull`),
  disconnect: (id: string) => api.json<undefined>('DELETE', `${SITES_PATH}/${id}`),
};
