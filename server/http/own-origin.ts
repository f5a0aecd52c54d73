import { ForbiddenError } from '#server/core/errors';

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
