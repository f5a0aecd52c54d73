import { requireSameOrigin } from '#server/platform/auth/same-origin';
import { clientOf } from '#server/platform/auth/trusted-headers';
import { ConflictError, ForbiddenError, UnauthenticatedError } from '#server/core/errors';
import { type Me, type Person, principalOf } from '#server/core/admin/people';
import { allows, type Principal } from '#server/core/admin/access-rights';
import type { RecordAction } from '#server/core/admin/audit';
import { serverText } from '#server/core/messages/server-text';
import type { Services } from '#server/services';

/* Functions shared by the routes for sign-in and accounts. */

type Accounts = NonNullable<Services['accounts']>;

/** A request of a browser that signs in. */
interface SignInRequest {
  readonly services: Services;
  readonly request: Request;
  readonly audit: RecordAction;
}

/** A request of a person who is signed in. */
interface SignedInRequest {
  readonly services: Services;
  readonly request: Request;
  readonly principal: Principal;
}

/** The accounts of this server. @throws ConflictError in local mode, which has none */
export function requireAccounts({ accounts }: Services): Accounts {
  if (accounts) return accounts;
  throw new ConflictError(serverText('local-mode'));
}

/**
 * For routes that have no principal but set or clear a cookie: only our own pages may call them.
 * @throws ForbiddenError, ConflictError in local mode
 */
export function accountsForPage(all: Services, request: Request): Accounts {
  const accounts = requireAccounts(all);
  requireSameOrigin(request, accounts.origin);
  return accounts;
}

/** Describes an attempt to sign in to an account with a password, for the rate limits. */
export async function passwordAttempt(accounts: Accounts, email: string, { headers }: Request) {
  return { address: clientOf(headers).address, email, browser: await accounts.knownBrowser(headers, email) };
}

/** Ways to sign in besides a password, with the codes of their names in the audit log. */
const METHOD_CODES = {
  passkey: 'audit-passkey',
  code: 'audit-code',
  'recovery code': 'audit-recovery-code',
} as const;
type SignInMethod = keyof typeof METHOD_CODES;

/**
 * Signs a person in with a passkey, or with a code after the password.
 * @param method for the audit log and the rate limits
 * @param accountOf email address of the account that is tried, so that failures count for this account and address only;
 *   null: the attempt belongs to no account
 */
export async function signInWith(
  { services: all, request, audit }: SignInRequest,
  method: SignInMethod,
  accountOf: (accounts: Accounts) => Promise<string | null>,
  signIn: (accounts: Accounts) => Promise<{ readonly person: Person; readonly cookies: readonly string[] }>,
): Promise<Response> {
  const accounts = accountsForPage(all, request);
  const email = await accountOf(accounts);
  const attempt =
    email === null
      ? { address: clientOf(request.headers).address, email, method }
      : { ...(await passwordAttempt(accounts, email, request)), method };
  await all.limits.attempts.take(attempt);
  try {
    const { person, cookies } = await signIn(accounts);
    await all.limits.attempts.succeeded(attempt);
    await all.audit.record(principalOf(person), 'sign-in', { headers: request.headers, details: { method } });
    return withCookies(person, [...cookies, ...accounts.rememberBrowser(request.headers, person.email)]);
  } catch (error) {
    if (error instanceof UnauthenticatedError || error instanceof ForbiddenError)
      await audit('sign-in-failed', { target: serverText(METHOD_CODES[method]) });
    throw error;
  }
}

/**
 * Limits the attempts of a signed-in person at `work`, which checks a password or a one-time code: another person may be
 * using the open browser. Success resets the count.
 * @throws RateLimitedError, without running `work`
 */
export async function withLimitedAttempts<T>(
  { services: all, request, principal }: SignedInRequest,
  work: (accounts: Accounts) => Promise<T>,
): Promise<T> {
  const accounts = requireAccounts(all);
  const { email } = await meOf(all, principal);
  const attempt = await passwordAttempt(accounts, email ?? principal.userId, request);
  await all.limits.attempts.take(attempt);
  const done = await work(accounts);
  await all.limits.attempts.succeeded(attempt);
  return done;
}

/** A JSON response that sets cookies. */
export function withCookies(value: unknown, cookies: readonly string[]): Response {
  return setCookies(Response.json(value), cookies);
}

/** Adds cookies to a response, and forbids its caching. */
export function setCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  response.headers.set('cache-control', 'no-store');
  return response;
}

/** The authenticated caller, in the form that the caller receives. */
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
