import type { ChangeActor } from '#server/core/content';

/**
 * Who a change is put down to: `user` for one made in our own pages (a browser says so, and no script can make it say
 * so elsewhere), `api` for any other client. Only for the journal: it gives nobody a right.
 */
export function actorOf(request: Request): Extract<ChangeActor, 'user' | 'api'> {
  return request.headers.get('sec-fetch-site') === 'same-origin' ? 'user' : 'api';
}
