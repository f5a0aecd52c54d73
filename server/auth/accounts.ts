import { verifyPassword } from 'better-auth/crypto';
import { and, desc, eq, gt, type SQL } from 'drizzle-orm';
import { type AuthSecrets, renewCookies } from '#server/auth/secret-rotation';
import { type Cookies, createSignIn, type OidcProvider, SIGN_IN_S, translate } from '#server/auth/better-auth';
import { createFactors, type Entered, type Factors, onlyChallenges, SESSION_COOKIE } from '#server/auth/factors';
import { createOidc, type Oidc } from '#server/auth/oidc-sign-in';
import { createPeople, type People } from '#server/auth/people';
import { InvalidInputError, NotFoundError, UnauthenticatedError } from '#server/core/errors';
import { isLanguage, type LanguageCode } from '#server/core/languages';
import { type KeyChoice, principalOf, type SignIn } from '#server/core/people';
import type { Principal } from '#server/core/access-rights';
import type { Database } from '#server/store/database';
import { accounts, signIns, users } from '#server/store/schema/people';

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
