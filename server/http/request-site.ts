import { chosenSite } from '#server/core/site-cookie';
import type { Principal } from '#server/core/admin/access-rights';
import { NotFoundError } from '#server/core/errors';
import type { Services, SiteServices } from '#server/services';

/* Which site a request concerns. A connected site has an id `wps_…`, the built-in one the id `embedded`. */

/** Name of the header, or of the query parameter, that names the site of a request. */
export const SITE_NAME = 'x-site';

/**
 * The site of a request, an id of `GET /api/sites`: the one it names, else the one chosen in its browser, else the
 * default one. Anonymous visitors get the default one.
 * @throws NotFoundError for a named site that does not exist or is not accessible to the caller
 */
export async function siteOf({ sites }: Services, principal: Principal | null, { headers, url }: Request) {
  if (principal === null) return sites.standardId;
  const named = headers.get(SITE_NAME) ?? new URL(url).searchParams.get(SITE_NAME);
  if (named !== null) return sites.choose(principal.sites, named);
  return requestedSite(sites, principal.sites, principal.kind === 'key' ? null : chosenSite(headers.get('cookie')));
}

/**
 * The requested site; if it does not exist or is not accessible, the first site that the user has access to. Null if the
 * user has access to none.
 * @param accessible ids of the sites that the user may work on; null: all
 */
export async function requestedSite(
  sites: Services['sites'],
  accessible: readonly string[] | null,
  requested: string | null,
): Promise<string | null> {
  try {
    return await sites.choose(accessible, requested);
  } catch (error) {
    if (error instanceof NotFoundError) return sites.choose(accessible, null);
    throw error;
  }
}

/**
 * Finds the site that is named by the first segment of a path (`~wps_…/about`), and the rest of the path; without such a name, the
 * site of the request.
 * @throws NotFoundError for a site that does not exist or is not accessible to the caller; ForbiddenError for a caller
 * without any site
 */
export async function namedSite(
  [first = '', ...rest]: readonly string[],
  { sites }: Principal,
  services: Pick<Services, 'sites'> & Pick<SiteServices, 'requireSite'>,
): Promise<{ readonly siteId: string; readonly segments: readonly string[] }> {
  if (!first.startsWith('~')) return { siteId: services.requireSite(), segments: first === '' ? [] : [first, ...rest] };
  const siteId = await services.sites.choose(sites, first.slice(1));
  return { siteId: siteId ?? services.requireSite(), segments: rest };
}
