import type { ChangeActor } from '#server/core/content';
import { ForbiddenError } from '#server/core/errors';
import { allows, type Principal } from '#server/core/people';

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
 * For what programs alone have a reason to ask: a page of another origin that got hold of a key is refused all the same.
 * Programs name no origin.
 * @param origin of our own pages
 * @throws ForbiddenError
 */
export function requireOwnOrigin(headers: Headers, origin: string): void {
  const sentBy = headers.get('origin');
  if (sentBy !== null && sentBy !== origin)
    throw new ForbiddenError('Requests from pages of other origins are refused.');
}

/** For what only a part of a route's callers may ask. @throws ForbiddenError */
export function requireAdmin({ scopes }: Principal): void {
  if (!allows(scopes, 'admin')) throw new ForbiddenError('Only an administrator may do this.');
}
