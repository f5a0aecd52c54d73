import type { RequestHead } from '#server/platform/auth/same-origin';
import type { Quota } from '#server/core/admin/quota';
import { clientOf } from '#server/platform/auth/trusted-headers';
import { ForbiddenError, StaleSignInError } from '#server/core/errors';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { hasAllSites, includesSite } from '#server/core/admin/site-access';
import { allows, type Principal, type Scope } from '#server/core/admin/access-rights';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import { isFault } from '#server/http/error-response';
import type { Services } from '#server/services';

/* Decides whether the caller of a route may use it: authentication, rights, rate limits and the age of the sign-in. */

/**
 * Right that a caller needs. `signed-in`: any authenticated caller. `person`: a person who has signed in or works at
 * the machine itself, never an API key, regardless of its scopes; for actions whose effect would outlive a revoked key.
 * `editor`, `administrator`: such a person with `content:write`, or with `admin`.
 */
export type Access = Scope | 'signed-in' | 'person' | 'editor' | 'administrator';

/** Requirements of a route on its caller. */
export interface Admission {
  /** Right that the caller needs; `public`: none, everyone is admitted. */
  readonly access: Access | 'public';
  /** True if the route may start a turn; turns have their own rate limit. Default false. */
  readonly startsTurn?: boolean;
  /**
   * `v1`: the route's requests have an allowance of their own, instead of those for requests and turns, and each answer
   * reports what is left of it. Default: those for requests and turns.
   */
  readonly allowance?: 'v1';
  /**
   * True if the route requires a sign-in within the last half hour, because it changes permissions or how this server
   * reaches others. `or-first-factor`: an older sign-in is sufficient for a person who adds their first passkey, because
   * their provider does not report the time of the sign-in. Default false.
   */
  readonly isFresh?: boolean | 'or-first-factor';
  /** True if programs that were connected with OAuth may call the route; only `/mcp`, for which their tokens are issued. */
  readonly acceptsOAuth?: boolean;
}

/** Time after a sign-in during which a person may change permissions; milliseconds. */
const FRESH_MS = 30 * 60_000;

/**
 * Authenticates and admits the caller before any of the request's content is read.
 * @param onCounted receives what is left of the allowance of a route that reports it, before any refusal
 * @returns null for a public route, which does not authenticate
 * @throws UnauthenticatedError, ForbiddenError, RateLimitedError
 */
export async function admit(
  all: Services,
  { access, startsTurn = false, isFresh = false, allowance, acceptsOAuth = false }: Admission,
  request: Request,
  onCounted: (quota: Quota) => void,
): Promise<Principal | null> {
  if (access === 'public') {
    await countAnonymousRequest(all, request);
    return null;
  }
  const principal = await authenticateLimited(all, request, acceptsOAuth, allowance && onCounted);
  if (allowance) await all.limits.v1Request(principal, onCounted);
  else await all.limits.request(principal);
  if (!hasAccess(principal, access)) throw new ForbiddenError(refusalText(principal, access));
  if (isFresh !== false && !(isFresh === 'or-first-factor' && (await mayAddFirstFactor(all, principal, request))))
    requireFresh(principal);
  if (startsTurn && !allowance) await all.limits.turn(principal);
  return principal;
}

/** For requests that change permissions. @throws StaleSignInError if the person signed in more than half an hour ago */
export function requireFresh({ signedInAt = Infinity, enteredAt }: Principal): void {
  if (signedInAt + FRESH_MS < Date.now())
    throw new StaleSignInError(enteredAt === undefined ? SIGN_IN_AGAIN : CONFIRM_HERE);
}

const SIGN_IN_AGAIN = serverText('sign-in-is-old');
const CONFIRM_HERE = serverText('sign-in-unknown-time');

/**
 * True for a person who has just signed in with a provider that sends no `auth_time`, and who has no other way to sign
 * in.
 */
async function mayAddFirstFactor(
  { accounts }: Services,
  { enteredAt }: Principal,
  { headers }: Request,
): Promise<boolean> {
  if (!accounts || enteredAt === undefined || enteredAt + FRESH_MS < Date.now()) return false;
  const { hasPassword, hasTotp, passkeys } = await accounts.factors.of(headers);
  return !hasPassword && !hasTotp && passkeys.length === 0;
}

/** True if the visitor of a public route has this right on a site; false also for anonymous visitors. */
export async function hasRightOnSite(
  { authenticator }: Services,
  scope: Scope,
  request: Request,
  siteId: string,
): Promise<boolean> {
  try {
    const { scopes, sites } = await authenticator.authenticate(request);
    return allows(scopes, scope) && includesSite(sites, siteId);
  } catch (error) {
    if (isFault(error)) throw error;
    return false;
  }
}

/** True if a caller would be admitted again with the same rights. An internal error does not revoke access. */
export async function isStillAdmitted(
  { authenticator }: Pick<Services, 'authenticator'>,
  { scopes, sites }: Principal,
  request: RequestHead,
  acceptsOAuth = false,
): Promise<boolean> {
  try {
    const now = await authenticator.authenticate(request, acceptsOAuth);
    return hasAllSites(now.sites, sites) && scopes.every((scope) => allows(now.scopes, scope));
  } catch (error) {
    return isFault(error);
  }
}

/**
 * Authenticates a caller; a failure counts against the rate limit of the address.
 * @throws UnauthenticatedError, ForbiddenError; RateLimitedError after too many failures
 */
async function authenticateLimited(
  all: Services,
  request: Request,
  acceptsOAuth: boolean,
  onCounted?: (quota: Quota) => void,
): Promise<Principal> {
  try {
    return await all.authenticator.authenticate(request, acceptsOAuth);
  } catch (error) {
    await countAnonymousRequest(all, request, onCounted);
    throw error;
  }
}

/** Counts a request of an anonymous caller. In local mode there is none: everyone is the owner. @throws RateLimitedError */
async function countAnonymousRequest(
  { env, limits }: Services,
  { headers }: Request,
  onCounted?: (quota: Quota) => void,
): Promise<void> {
  if (env.AUTH_MODE === 'accounts') await limits.publicRequest(clientOf(headers).address, onCounted);
}

function hasAccess({ kind, scopes }: Principal, access: Access): boolean {
  if (access === 'signed-in') return true;
  if (access === 'person') return kind !== 'key';
  if (access === 'editor') return kind !== 'key' && allows(scopes, 'content:write');
  if (access === 'administrator') return kind !== 'key' && allows(scopes, 'admin');
  return allows(scopes, access);
}

/** Text of the refusal: which right is missing. */
function refusalText({ kind }: Principal, access: Access): string | ServerText {
  const isForPeople = access === 'person' || access === 'editor' || access === 'administrator';
  if (isForPeople && kind === 'key') return 'Only a person may do this: sign in. An API key does not do.';
  if (kind === 'key') return `This API key does not have the scope "${access}".`;
  const isForEditors = access === 'editor' || access === 'content:write';
  return isForEditors ? serverText('editors-only') : serverText('administrators-only');
}

/** For requests that need the right `admin`, on a route that others may use too. @throws ForbiddenError */
export function requireAdmin({ scopes }: Principal): void {
  if (!allows(scopes, 'admin')) throw new ForbiddenError(serverText('administrators-only'));
}

/** For features that only the built-in site has: forms and files. @throws ForbiddenError without access to that site */
export function requireBuiltIn({ sites }: Principal): void {
  if (!includesSite(sites, EMBEDDED_SITE)) throw new ForbiddenError(serverText('other-site'));
}
