import type { ChangeActor } from '#server/core/site/changes';
import type { Services } from '#server/services';

/* Where a request comes from, and the addresses at which its sender reaches this server. */

/**
 * Author recorded with a change: `user` for a request from our own pages (detected by a header that browsers set and
 * scripts cannot forge), `api` for any other client. Only for the journal: it grants no rights.
 */
export function actorOf(request: Request): Extract<ChangeActor, 'user' | 'api'> {
  return request.headers.get('sec-fetch-site') === 'same-origin' ? 'user' : 'api';
}

/**
 * Origin at which a visitor reached this server, for addresses that search engines read: `https://example.org`. A proxy
 * reports https with `x-forwarded-proto`. Null if the request does not contain it.
 */
export function requestOrigin(headers: Headers): string | null {
  const host = headers.get('host');
  const scheme = headers.get('x-forwarded-proto') === 'https' ? 'https' : 'http';
  const origin = `${scheme}://${host ?? ''}`;
  return URL.canParse(origin) ? new URL(origin).origin : null;
}

/**
 * Address of the published site's start page, without a trailing slash: on its own host if it has one, else `/site` of
 * this server as the visitor reached it. Null if the request does not contain it.
 */
export function publishedAddress({ env }: Pick<Services, 'env'>, headers: Headers): string | null {
  if (env.SITE_URL !== undefined) return new URL(env.SITE_URL).origin;
  const origin = requestOrigin(headers);
  return origin === null ? null : `${origin}/site`;
}

/**
 * Origin of our pages: `PUBLIC_URL`. In local mode the only known name is the requested one, and the request has already
 * been checked.
 */
export function originOf({ accounts }: Pick<Services, 'accounts'>, { headers }: Request): string {
  return accounts?.origin ?? requestOrigin(headers) ?? '';
}
