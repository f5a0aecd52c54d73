import { verifyPassword } from 'better-auth/crypto';
import { and, desc, eq, gt, type SQL } from 'drizzle-orm';
import { type AuthSecrets, renewCookies } from '#server/auth/secret-rotation';
import {
  type Cookies,
  createSignIn,
  OIDC,
  type OidcProvider,
  SIGN_IN_S,
  type SignInApi,
  translate,
} from '#server/auth/better-auth';
import { createFactors, type Entered, type Factors, onlyChallenges, SESSION_COOKIE } from '#server/auth/factors';
import { createPeople, type People } from '#server/auth/people';
import {
  ConflictError,
  InvalidInputError,
  NotFoundError,
  SiteUnavailableError,
  UnauthenticatedError,
} from '#server/core/errors';
import { isLanguage, type LanguageCode } from '#server/core/languages';
import { type KeyChoice, principalOf, type SignIn } from '#server/core/people';
import type { Principal } from '#server/core/access-rights';
import type { Database } from '#server/store/database';
import { accounts, signIns, users } from '#server/store/schema/people';
import { isAPIError } from 'better-auth/api';
import { LOGIN_PATH } from '#server/core/addresses';

/** User accounts and their sign-ins. */
export interface Accounts {
  /** Address of our pages: `https://cms.example`. */
  readonly origin: string;
  readonly people: People;
  readonly factors: Factors;
  /** Sign-in with a provider; null: none is set. */
  readonly oidc: Oidc | null;
  /** Null: nobody has signed in with the cookie of these headers, or may not any more. */
  signedIn(headers: Headers): Promise<Principal | null>;
  /** The language that the user of these headers chose; null: none, or nobody has signed in. */
  languageOf(headers: Headers): Promise<LanguageCode | null>;
  /**
   * Signs a browser in anew; its sign-in of before ends.
   * @param headers of its request
   * @returns `person` is null where a code is asked for, too: `factors.signInWithCode` with the cookies
   * @throws UnauthenticatedError, the same for an e-mail that nobody has and for a wrong password; ForbiddenError
   */
  signIn(
    email: string,
    password: string,
    headers?: Headers,
  ): Promise<Entered | { readonly person: null; readonly cookies: Cookies }>;
  /** Ends the sign-in of these headers, if there is one; `everywhere`: all others of that user, too. */
  signOut(headers: Headers, everywhere?: boolean): Promise<Cookies>;
  /** Lists the sign-ins of the user of these headers, last used first. */
  signIns(headers: Headers): Promise<SignIn[]>;
  /** Ends one of their sign-ins. @throws NotFoundError */
  endSignIn(headers: Headers, id: string): Promise<void>;
  /** Lets a sign-in that is used last longer. No cookies: nothing has changed. */
  prolong(headers: Headers): Promise<Cookies>;
  /**
   * Signs the user out in every other browser, and revokes their API keys unless they are to be kept.
   * @throws InvalidInputError when `current` is not their password
   */
  changePassword(headers: Headers, change: PasswordChange): Promise<void>;
}

/** Somebody's own new password. */
export interface PasswordChange {
  readonly current: string;
  readonly next: string;
  /** Default `revoke`. */
  readonly apiKeys?: KeyChoice | undefined;
}

export interface AccountsOptions {
  readonly database: Database;
  readonly origin: string;
  readonly secrets: AuthSecrets;
  /** Default: none. */
  readonly oidc?: OidcProvider | null;
  readonly onFault: (message: string, error?: unknown) => void;
}

export function createAccounts({ database, oidc = null, ...options }: AccountsOptions): Accounts {
  const people = createPeople(database);
  const api = createSignIn({
    ...options,
    database,
    oidc,
    isEmpty: () => people.isEmpty(),
    isBanned: async (userId) => (await people.find(userId))?.banned ?? true,
  });
  const current = (headers: Headers) => api.getSession({ headers, query: { disableRefresh: true } });
  const passwordOf = async (isTheirs: SQL) => {
    const [found] = await database.read
      .select({ hash: accounts.password })
      .from(accounts)
      .innerJoin(users, eq(users.id, accounts.userId))
      .where(and(isTheirs, eq(accounts.providerId, 'credential')));
    return found?.hash ?? null;
  };
  const signedIn: Accounts['signedIn'] = async (headers) => {
    const found = await current(headers);
    if (!found || found.user.banned) return null;
    const principal = principalOf(found.user as unknown as typeof users.$inferSelect);
    return { ...principal, signedInAt: found.session.createdAt.getTime() };
  };
  const endFormer = async (headers: Headers) => {
    const former = await current(headers);
    if (former) await database.write((tx) => tx.delete(signIns).where(eq(signIns.id, former.session.id)).run());
  };
  const { origin } = options;
  return {
    origin,
    people,
    factors: createFactors({ database, people, api, provider: oidc?.name ?? null, endFormer }),
    oidc: oidc && createOidc({ origin, provider: oidc, api, signedIn, endFormer }),
    signedIn,
    languageOf: async (headers) => {
      const language = (await current(headers))?.user.language;
      return isLanguage(language) ? language : null;
    },
    signIn: async (email, password, sent = new Headers()) => {
      try {
        const hash = await passwordOf(eq(users.email, email.toLowerCase()));
        const { headers, response } = await api.signInEmail({
          body: { email, password },
          headers: sent,
          returnHeaders: true,
        });
        if (!('user' in response)) return { person: null, cookies: onlyChallenges(headers.getSetCookie()) };
        const person = await people.find(response.user.id);
        if (!person) throw new UnauthenticatedError(WRONG);
        // A new password has ended all sign-ins while this one was on its way with the former.
        if (hash !== (await passwordOf(eq(users.id, person.id)))) {
          await database.write((tx) => tx.delete(signIns).where(eq(signIns.token, response.token)).run());
          throw new UnauthenticatedError(WRONG);
        }
        await endFormer(sent);
        return { person, cookies: headers.getSetCookie() };
      } catch (error) {
        throw translate(error, WRONG);
      }
    },
    signOut: async (headers, everywhere = false) => {
      const found = everywhere ? await current(headers) : null;
      if (found) await database.write((tx) => tx.delete(signIns).where(eq(signIns.userId, found.user.id)).run());
      return (await api.signOut({ headers, returnHeaders: true })).headers.getSetCookie();
    },
    signIns: async (headers) => {
      const found = await current(headers);
      if (!found) return [];
      const isTheirs = and(eq(signIns.userId, found.user.id), gt(signIns.expiresAt, new Date()));
      const rows = await database.read.select().from(signIns).where(isTheirs).orderBy(desc(signIns.updatedAt));
      return rows.map(({ id, userAgent, ipAddress, createdAt, updatedAt }) => ({
        id,
        isCurrent: id === found.session.id,
        browser: userAgent || null,
        address: ipAddress || null,
        createdAt: createdAt.getTime(),
        lastUsedAt: updatedAt.getTime(),
      }));
    },
    endSignIn: async (headers, id) => {
      const found = await current(headers);
      const isIt = and(eq(signIns.id, id), eq(signIns.userId, found?.user.id ?? ''));
      const { rowsAffected } = await database.write((tx) => tx.delete(signIns).where(isIt).run());
      if (rowsAffected === 0) throw new NotFoundError('sign-in', id);
    },
    prolong: async (headers) => {
      const { headers: sent, response } = await api.getSession({ headers, returnHeaders: true });
      const cookies = sent.getSetCookie();
      if (!response || cookies.length > 0) return cookies;
      // Signed with a secret of before: from now on the browser has one of the present.
      const { values } = renewCookies(headers, options.secrets);
      const more = `; Max-Age=${SIGN_IN_S}; Path=/; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`;
      return [...values]
        .filter(([name]) => SESSION_COOKIE.test(name))
        .map(([name, value]) => `${name}=${value}${more}`);
    },
    changePassword: async (headers, { current: old, next, apiKeys }) => {
      const found = await current(headers);
      const hash = found && (await passwordOf(eq(users.id, found.user.id)));
      if (!found) throw new UnauthenticatedError('Sign in first.');
      if (!hash)
        throw new InvalidInputError('You have no password here. Ask for a link on the sign-in page to choose one.');
      if (!(await verifyPassword({ hash, password: old })))
        throw new InvalidInputError('This is not your present password.');
      await people.update(found.user.id, { password: next, apiKeys }, found.session.id);
    },
  };
}

const WRONG = 'The e-mail address or the password is wrong.';

/** Sign-in with an OpenID Connect provider. */
export interface Oidc {
  /** For people. */
  readonly name: string;
  /**
   * Address to sign in at, with the cookies that the browser has to come back with.
   * @param next path of ours to go to afterwards
   * @param isAfresh the provider has to ask again who they are
   * @throws SiteUnavailableError when the provider does not answer
   */
  begin(
    headers: Headers,
    next: string,
    isAfresh: boolean,
  ): Promise<{ readonly url: string; readonly cookies: Cookies }>;
  /** Takes what the provider has sent the browser back with. `principal` is null where nobody is let in; `location` says why. */
  finish(headers: Headers, query: Readonly<Record<string, string>>): Promise<Finished>;
}

interface Finished {
  readonly location: string;
  readonly cookies: Cookies;
  readonly principal: Principal | null;
}

interface OidcDeps {
  readonly origin: string;
  readonly provider: OidcProvider;
  readonly api: SignInApi;
  readonly signedIn: (headers: Headers) => Promise<Principal | null>;
  /** Ends the sign-in that a browser had before. */
  readonly endFormer: (headers: Headers) => Promise<void>;
}

function createOidc({ origin, provider, api, signedIn, endFormer }: OidcDeps): Oidc {
  return {
    name: provider.name,
    async begin(headers, next, isAfresh) {
      const { response, headers: sent } = await api
        .signInSocial({
          body: {
            provider: OIDC,
            callbackURL: `${origin}${next}`,
            errorCallbackURL: `${origin}${LOGIN_PATH}?${new URLSearchParams({ next })}`,
            disableRedirect: true,
            ...(isAfresh && { additionalParams: { prompt: 'login', max_age: '0' } }),
          },
          headers,
          returnHeaders: true,
        })
        .catch((error: unknown) => {
          // It was not to be found when this server started, nor is it now.
          throw isAPIError(error) ? new SiteUnavailableError(UNREACHABLE(provider.name), { cause: error }) : error;
        });
      if (!response.url) throw new ConflictError(UNREACHABLE(provider.name));
      return { url: response.url, cookies: sent.getSetCookie() };
    },
    async finish(headers, query) {
      const answer = await api.callbackOAuth({
        method: 'GET',
        params: { id: OIDC },
        query,
        headers,
        asResponse: true,
      });
      const cookies = answer.headers.getSetCookie();
      const location = answer.headers.get('location') ?? `${LOGIN_PATH}?error=unknown`;
      const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
      const principal = await signedIn(new Headers({ cookie }));
      if (principal) await endFormer(headers);
      // Its own page of errors is not served here.
      const isOurs = URL.canParse(location, origin) && new URL(location, origin).origin === origin;
      const to =
        isOurs && !new URL(location, origin).pathname.startsWith('/api/') ? location : failedAt(location, origin);
      return { location: to, cookies, principal };
    },
  };
}

const UNREACHABLE = (name: string) => `${name} cannot be reached. Try again later, or sign in with your password.`;

function failedAt(location: string, origin: string): string {
  const error = URL.canParse(location, origin) ? new URL(location, origin).searchParams.get('error') : null;
  return `${LOGIN_PATH}?${new URLSearchParams({ error: error ?? 'unknown' })}`;
}
