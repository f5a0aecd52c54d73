import { ForbiddenError } from '#server/core/errors';
import { allows, type Principal, type Scope } from '#server/core/principal';
import { clientOf } from '#server/http/client';
import { isFault } from '#server/http/error-response';
import type { Services } from '#server/services';

/**
 * What a caller has to be allowed. `signed-in`: whoever we know. `person`: somebody who has signed in or sits at the
 * machine, and no key, whatever its scopes: what would outlive a key that is revoked. `administrator`: such a person
 * with `admin`.
 */
export type Access = Scope | 'signed-in' | 'person' | 'administrator';

/** What a route asks of its caller. */
export interface Admission {
  /** `public`: everybody may come in. */
  readonly access: Access | 'public';
  /** It may start a turn: there is an allowance of those, too. */
  readonly startsTurn?: boolean;
}

/**
 * Lets somebody in, before anything of what he sends is read.
 * @returns null: everybody may come in, so nobody was asked for
 * @throws UnauthenticatedError, ForbiddenError, RateLimitedError
 */
export async function admit(
  all: Services,
  { access, startsTurn = false }: Admission,
  request: Request,
): Promise<Principal | null> {
  if (access === 'public') {
    await countStranger(all, request);
    return null;
  }
  const principal = await recognize(all, request);
  await all.limits.request(principal);
  if (!isEnough(principal, access)) throw new ForbiddenError(whyNot(principal, access));
  if (startsTurn) await all.limits.turn(principal);
  return principal;
}

/** Tells whether a visitor of a public route is somebody with this right. */
export async function mayEnter(
  { authenticator }: Pick<Services, 'authenticator'>,
  scope: Scope,
  request: Request,
): Promise<boolean> {
  try {
    return allows((await authenticator.authenticate(request)).scopes, scope);
  } catch (error) {
    if (isFault(error)) throw error;
    return false;
  }
}

/** Whether who was let in would be again, and may do all that he might then. A fault of ours says nothing against him. */
export async function isStillLetIn(
  { authenticator }: Pick<Services, 'authenticator'>,
  { scopes }: Principal,
  request: Pick<Request, 'headers' | 'method'>,
): Promise<boolean> {
  try {
    const now = await authenticator.authenticate(request);
    return scopes.every((scope) => allows(now.scopes, scope));
  } catch (error) {
    return isFault(error);
  }
}

/** @throws UnauthenticatedError, ForbiddenError, RateLimitedError for who has tried too often */
async function recognize(all: Services, request: Request): Promise<Principal> {
  try {
    return await all.authenticator.authenticate(request);
  } catch (error) {
    await countStranger(all, request);
    throw error;
  }
}

/** In local mode whoever reaches us is the owner, and no stranger. @throws RateLimitedError */
async function countStranger({ env, limits }: Services, { headers }: Request): Promise<void> {
  if (env.AUTH_MODE === 'accounts') await limits.publicRequest(clientOf(headers).address);
}

function isEnough({ kind, scopes }: Principal, access: Access): boolean {
  if (access === 'signed-in') return true;
  if (access === 'person') return kind !== 'key';
  if (access === 'administrator') return kind !== 'key' && allows(scopes, 'admin');
  return allows(scopes, access);
}

function whyNot({ kind }: Principal, access: Access): string {
  const isForPeople = access === 'person' || access === 'administrator';
  if (isForPeople && kind === 'key') return 'Only a person may do this: sign in. An API key does not do.';
  return kind === 'key' ? `This API key does not have the scope "${access}".` : 'Only an administrator may do this.';
}
