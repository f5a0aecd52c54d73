import { isLocalHost, requireLocal } from '#server/auth/local-access';
import { ForbiddenError } from '#server/core/errors';
import { clientOf } from '#server/http/client';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/**
 * Whether a request comes from this very machine, so that whoever sits at it may become the owner: over a connection of
 * its own, for a local name, passed on by nobody. Whatever else the request says about itself, anybody could say.
 */
export function mayCreateOwner(headers: Pick<Headers, 'get'>): boolean {
  const { address, isForwarded } = clientOf(headers);
  return !isForwarded && LOOPBACK.test(address) && isLocalHost(headers.get('host') ?? undefined);
}

/** The same for a request that does it, which has to come from a page of ours. @throws ForbiddenError */
export function requireOwnersMachine(headers: Headers): void {
  requireLocal(headers);
  if (!mayCreateOwner(headers))
    throw new ForbiddenError('The owner is created at the machine of the server itself, without a proxy.');
}
