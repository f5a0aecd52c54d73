import { EMBEDDED_SITE } from '#server/core/content';
import type { ChangeActor } from '#server/core/changes';
import { ForbiddenError } from '#server/core/errors';
import { isTheirSite } from '#server/core/people';
import { allows, type Principal } from '#server/core/access-rights';
import type { Services, SiteServices } from '#server/services';

/**
 * Author recorded with a change: `user` for one made in our own pages (a browser says so, and no script can make it say
 * so elsewhere), `api` for any other client. Only for the journal: it gives nobody a right.
 */
export function actorOf(request: Request): Extract<ChangeActor, 'user' | 'api'> {
  return request.headers.get('sec-fetch-site') === 'same-origin' ? 'user' : 'api';
}

/**
 * Origin at which a visitor reached this server, for addresses that search engines read: `https://example.org`. A proxy in
 * front says by `x-forwarded-proto` that it was https. Null where the request does not say.
 */
export function requestOrigin(headers: Pick<Headers, 'get'>): string | null {
  const host = headers.get('host');
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  const origin = `${scheme}://${host ?? ''}`;
  return URL.canParse(origin) ? new URL(origin).origin : null;
}

/**
 * Address of the published site's start page, without a slash at its end: of its own host where it has one, else `/site` of
 * this server as the visitor reached it. Null where the request does not say.
 */
export function publishedAddress({ env }: Pick<Services, 'env'>, headers: Pick<Headers, 'get'>): string | null {
  if (env.SITE_URL !== undefined) return new URL(env.SITE_URL).origin;
  const origin = requestOrigin(headers);
  return origin === null ? null : `${origin}/site`;
}

/** For what only a part of a route's callers may ask. @throws ForbiddenError */
export function requireAdmin({ scopes }: Principal): void {
  if (!allows(scopes, 'admin')) throw new ForbiddenError('Only an administrator may do this.');
}

/** For what belongs to the built-in site alone: its forms, and its files. @throws ForbiddenError */
export function requireBuiltIn({ sites }: Principal): void {
  if (!isTheirSite(sites, EMBEDDED_SITE)) throw new ForbiddenError('This belongs to a site that you may not work on.');
}

/**
 * The site that the path of a request names in front (`~wps_…/about`), and the path itself; else the request's own one.
 * @throws NotFoundError for a site that is not there, or not the caller's; ForbiddenError where there is none for them
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
