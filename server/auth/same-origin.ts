import { ForbiddenError } from '#server/core/errors';

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends cookies with whatever any page makes it send. What may change something, and what a script of another
 * page asks for, therefore has to come from a page of ours.
 * @param origin ours: `https://cms.example`
 * @throws ForbiddenError
 */
export function requireSameOrigin({ headers, method }: Pick<Request, 'headers' | 'method'>, origin: string): void {
  const sentBy = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  if (sentBy !== null && sentBy !== origin)
    throw new ForbiddenError('Requests from pages of other origins are refused.');
  const isElsewhere = site === 'cross-site' || site === 'same-site';
  const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && READS.has(method);
  if (isElsewhere && !isNavigation) throw new ForbiddenError('Requests from pages of other sites are refused.');
  if (!READS.has(method) && sentBy === null && site === null) {
    throw new ForbiddenError('A request with a cookie has to say which page it comes from. Programs send an API key.');
  }
}
