import { ForbiddenError } from '#server/core/errors';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What a request hears whose `Host` is not local. */
export const NOT_LOCAL = 'This server answers only requests to localhost.';

/**
 * Whether a `Host` header names this machine. Any other name may be made to resolve to it, and then a page of that
 * name could read what we answer. For our pages this is all there is to check: links from anywhere may lead to them.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && LOOPBACK.has(host.replace(/:\d+$/, '').toLowerCase());
}

/**
 * Local mode's only gate: the request names a loopback host and, if a page sent it, a page of this very host. A page
 * elsewhere can therefore neither read nor write, not even through a name that resolves to this machine. Forwarded
 * headers are not trusted.
 * @throws ForbiddenError
 */
export function requireLocal(headers: Headers): void {
  const host = headers.get('host') ?? '';
  if (!isLocalHost(host)) throw new ForbiddenError(NOT_LOCAL);
  const origin = headers.get('origin');
  if (origin !== null && hostOf(origin) !== host.toLowerCase()) {
    throw new ForbiddenError('Requests from pages of other origins are refused.');
  }
  const site = headers.get('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') {
    throw new ForbiddenError('Requests from pages of other sites are refused.');
  }
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
