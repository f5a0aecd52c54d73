import { requireSameOrigin } from '#server/auth/same-origin';
import { ConflictError } from '#server/core/errors';
import type { Me } from '#server/core/people';
import { allows, type Principal } from '#server/core/principal';
import type { Services } from '#server/services';

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
export function accountsForPage(services: Services, request: Request): Accounts {
  const accounts = requireAccounts(services);
  requireSameOrigin(request, accounts.origin);
  return accounts;
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

/** Who asks, as they are told. */
export async function meOf({ accounts }: Services, { kind, userId, name, scopes }: Principal): Promise<Me> {
  const person = kind === 'user' ? await accounts?.people.find(userId) : null;
  const role = allows(scopes, 'admin') ? 'admin' : 'editor';
  return { kind, id: userId, name: person?.name ?? name, email: person?.email ?? null, role };
}
