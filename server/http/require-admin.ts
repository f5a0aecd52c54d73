import { ForbiddenError } from '#server/core/errors';
import { allows, type Principal } from '#server/core/principal';

/** For what only a part of a route's callers may ask. @throws ForbiddenError */
export function requireAdmin({ scopes }: Principal): void {
  if (!allows(scopes, 'admin')) throw new ForbiddenError('Only an administrator may do this.');
}
