import { serverText } from '#server/core/messages/server-text';
import { InvalidInputError, SiteUnavailableError } from '#server/core/errors';

/** Paths that people accidentally copy from the address bar. */
const BEYOND_THE_SITE = /\/(?:wp-admin|wp-json|wp-login\.php|wp-content|index\.php)(?:\/.*)?$/i;

/**
 * The address of a site, without a trailing slash, from the address of its start page or of any administration page.
 * @throws InvalidInputError if the text is not an address
 */
export function baseAddress(text: string): string {
  const given = text.trim();
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidInputError(serverText('site-address-scheme'));
  }
  if (url.username !== '' || url.password !== '') {
    throw new InvalidInputError(serverText('site-address-with-password'));
  }
  return `${url.origin}${url.pathname.replace(BEYOND_THE_SITE, '').replace(/\/+$/, '')}`;
}

/** Roots of a site's REST API, with pretty permalinks and without. */
export function usualRoots(site: string): readonly URL[] {
  return [new URL(`${site}/wp-json/`), new URL(`${site}/?rest_route=/`)];
}

/**
 * Reads the root of the REST API from the `Link` header of the start page; null without such a header. A root on
 * another host counts as none, because the password may only be sent to the site that an administrator named,
 * regardless of where that site says its data is.
 */
export function advertisedRoot(site: string, header: string | null): URL | null {
  const link = /<([^>]+)>;\s*rel="https:\/\/api\.w\.org\/"/.exec(header ?? '')?.[1];
  const root = link === undefined ? null : URL.parse(link, site);
  return root?.origin === new URL(site).origin ? root : null;
}

/** Returns the address of a route (`/wp/v2/pages`) below the root of the REST API. */
export function routeAddress(root: URL, route: string, query: Query = {}): URL {
  const url = new URL(root);
  if (url.searchParams.has('rest_route')) url.searchParams.set('rest_route', route);
  else url.pathname = url.pathname.replace(/\/$/, '') + route;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** Parameters of a query; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | undefined>>;

/**
 * Returns an address of the site, which may be given without the host. @throws SiteUnavailableError for addresses of
 * other sites
 */
export function ownAddress(site: string, address: string): URL {
  const { host, origin } = new URL(site);
  const url = URL.parse(address, `${site}/`);
  if (url?.origin !== origin) throw new SiteUnavailableError(serverText('address-of-other-site', { address, host }));
  return url;
}
