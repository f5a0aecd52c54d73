import { clientOf, requireSameOrigin } from '#server/auth/client';
import { ConflictError, ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { type Me, type Person, principalOf } from '#server/core/people';
import { allows, type Principal } from '#server/core/access-rights';
import type { RouteInput } from '#server/http/route';
import type { Services } from '#server/services';

/* Work that the routes of signing in and of accounts share. */

type Accounts = NonNullable<Services['accounts']>;

/** @throws ConflictError in local mode */
export function requireAccounts({ accounts }: Services): Accounts {
  if (accounts) return accounts;
  throw new ConflictError('Nobody signs in here: this server runs in local mode (AUTH_MODE=local).');
}

/**
 * For routes that take no principal and still give or take a cookie: only our own pages may call them.
 * @throws ForbiddenError, ConflictError in local mode
 */
export function accountsForPage(all: Services, request: Request): Accounts {
  const accounts = requireAccounts(all);
  requireSameOrigin(request, accounts.origin);
  return accounts;
}

/**
 * Signs somebody in by other means than a password. Whoever they are is known afterwards only, so attempts are counted
 * for the address.
 * @param method for the audit log
 */
export async function enterWith(
  { services: all, request, audit }: Pick<RouteInput<unknown, unknown, unknown>, 'services' | 'request' | 'audit'>,
  method: string,
  enter: (accounts: Accounts) => Promise<{ readonly person: Person; readonly cookies: readonly string[] }>,
): Promise<Response> {
  const accounts = accountsForPage(all, request);
  const { address } = clientOf(request.headers);
  const attempt = { address, email: `${method} ${address}` };
  await all.limits.attempts.take(attempt);
  try {
    const { person, cookies } = await enter(accounts);
    await all.limits.attempts.succeeded(attempt);
    await all.audit.record(principalOf(person), 'sign-in', { headers: request.headers, details: { method } });
    return withCookies(person, cookies);
  } catch (error) {
    if (error instanceof UnauthenticatedError || error instanceof ForbiddenError)
      await audit('sign-in-failed', { actorName: 'Unknown', target: method });
    throw error;
  }
}

/** Looks at the password of somebody who is signed in: whoever finds a browser open must not find it out. */
export async function withPassword<T>(
  {
    services: all,
    request,
    principal,
  }: Pick<RouteInput<unknown, unknown, unknown>, 'services' | 'request' | 'principal'>,
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  const accounts = requireAccounts(all);
  const { email } = await meOf(all, principal);
  const attempt = { address: clientOf(request.headers).address, email: email ?? principal.userId };
  await all.limits.attempts.take(attempt);
  const done = await work(accounts);
  await all.limits.attempts.succeeded(attempt);
  return done;
}

/** JSON that sets cookies. */
export function withCookies(value: unknown, cookies: readonly string[]): Response {
  return setCookies(Response.json(value), cookies);
}

export function setCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  response.headers.set('cache-control', 'no-store');
  return response;
}

/** The authenticated caller, as told to themselves. */
export async function meOf({ accounts }: Services, { kind, userId, name, scopes }: Principal): Promise<Me> {
  const person = kind === 'user' ? await accounts?.people.find(userId) : null;
  const role = allows(scopes, 'admin') ? 'admin' : allows(scopes, 'content:write') ? 'editor' : 'author';
  return {
    kind,
    id: userId,
    name: person?.name ?? name,
    email: person?.email ?? null,
    role,
    language: person?.language ?? null,
  };
}
