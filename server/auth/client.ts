import { ForbiddenError } from '#server/core/errors';

/**
 * Address of the client that sent a request. Our server sets this header on every request, whatever the client sent in it
 * (scripts/lib/serve); routes and pages know of no other way to a socket.
 */
export const CLIENT_HEADER = 'x-throughline-client';

/** The path and query that were asked for, set like that one: a layout of Next is not told where it is. */
export const ADDRESS_HEADER = 'x-throughline-address';

export interface Client {
  /** Empty where nobody knows. */
  readonly address: string;
}

export function clientOf(headers: Pick<Headers, 'get'>): Client {
  return { address: headers.get(CLIENT_HEADER) ?? '' };
}

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
  requireOwnOrigin(headers, origin);
  const isElsewhere = site === 'cross-site' || site === 'same-site';
  const isNavigation = headers.get('sec-fetch-mode') === 'navigate' && READS.has(method);
  if (isElsewhere && !isNavigation) throw new ForbiddenError('Requests from pages of other sites are refused.');
  if (!READS.has(method) && sentBy === null && site === null) {
    throw new ForbiddenError(
      `This request has to say which page it comes from: send the header "Origin: ${origin}". Where an API key does, send that instead.`,
    );
  }
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
