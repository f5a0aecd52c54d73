import { ForbiddenError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';

/** What a request begins with. A page has only this of its request. */
export interface RequestHead {
  readonly headers: Headers;
  readonly method: string;
}

/** Methods that change nothing (RFC 9110, 9.2.1). */
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends cookies with every request that any page causes. Requests that may change something, and requests of
 * scripts, must therefore come from one of our pages.
 * @param origin ours: `https://cms.example`
 * @throws ForbiddenError
 */
export function requireSameOrigin({ headers, method }: RequestHead, origin: string): void {
  const sentBy = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  requireOwnOrigin(headers, origin);
  const isElsewhere = site === 'cross-site' || site === 'same-site';
  const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && READS.has(method);
  if (isElsewhere && !isNavigation) throw new ForbiddenError(serverText('from-other-site'));
  if (!READS.has(method) && sentBy === null && site === null) {
    throw new ForbiddenError(serverText('origin-missing', { origin }));
  }
}

/**
 * For routes that only programs have a reason to call: refuses a page of another origin even if it has a key. Programs
 * send no origin.
 * @param origin of our own pages
 * @throws ForbiddenError
 */
export function requireOwnOrigin(headers: Headers, origin: string): void {
  const sentBy = headers.get('origin');
  if (sentBy !== null && sentBy !== origin) throw new ForbiddenError(serverText('other-origin'));
}
