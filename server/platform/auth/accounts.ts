import type { FaultLog } from '#server/core/process';
import { verifyPassword } from 'better-auth/crypto';
import { and, desc, eq, gt, type SQL } from 'drizzle-orm';
import { type AuthSecrets, renewCookies } from '#server/platform/auth/secret-rotation';
import type { OidcProvider } from '#server/platform/auth/oidc-provider';
import { type Cookies, createSignIn, SIGN_IN_S, translateError } from '#server/platform/auth/better-auth';
import { BrowserSignIn } from '#server/platform/auth/browser-sign-in';
import { createDeviceCookies } from '#server/platform/auth/device-cookies';
import {
  createFactors,
  type CompletedSignIn,
  type Factors,
  onlyChallenges,
  SESSION_COOKIE,
} from '#server/platform/auth/factors';
import { createOidc, type Oidc } from '#server/platform/auth/oidc-sign-in';
import { createPeople, type People } from '#server/platform/auth/people';
import { InvalidInputError, NotFoundError, UnauthenticatedError } from '#server/core/errors';
import { isLanguage, type LanguageCode } from '#server/core/languages';
import type { KeyChoice } from '#server/core/admin/api-keys';
import type { SignIn } from '#server/core/admin/people';
import type { Principal } from '#server/core/admin/access-rights';
import { serverText } from '#server/core/messages/server-text';
import type { Database } from '#server/platform/database/database';
import { accounts, signIns, users } from '#server/platform/database/schema/people';

/** User accounts and their sign-ins. */
export interface Accounts {
  /** Origin of the pages of this server: `https://cms.example`. */
  readonly origin: string;
  readonly people: People;
  readonly factors: Factors;
  /** Sign-in with an OpenID Connect provider; null if none is configured. */
  readonly oidc: Oidc | null;
  /**
   * The user who is signed in with the cookie of these headers; null if nobody is signed in, or the user is banned.
   */
  signedIn(headers: Headers): Promise<Principal | null>;
  /** The language that the user of these headers chose; null if no language was chosen or no user is signed in. */
  languageOf(headers: Headers): Promise<LanguageCode | null>;
  /**
   * Starts a new sign-in of a browser and ends its previous one.
   * @param headers of its request
   * @returns the person and the cookies of the sign-in. `person` is null if a one-time code is required too: then the
   * browser sends the code with these cookies to `factors.signInWithCode`
   * @throws UnauthenticatedError, the same for an unknown email address and for a wrong password; ForbiddenError for a
   * banned person
   */
  signIn(
    email: string,
    password: string,
    headers?: Headers,
  ): Promise<CompletedSignIn | { readonly person: null; readonly cookies: Cookies }>;
  /**
   * Ends the sign-in of these headers, if there is one.
   * @param everywhere true: also ends all other sign-ins of that user. Default false
   * @returns cookies that delete those of the sign-in
   */
  signOut(headers: Headers, everywhere?: boolean): Promise<Cookies>;
  /**
   * Id of the browser that sent these headers, if it is known for this account: by its device cookie or because that
   * person is signed in there. Null for any other browser.
   */
  knownBrowser(headers: Headers, email: string): Promise<string | null>;
  /**
   * Cookies that make this browser known for an account. Call it only for a person who has just signed in to the account.
   */
  rememberBrowser(headers: Headers, email: string): Cookies;
  /** Lists the sign-ins of the user of these headers, last used first. */
  signIns(headers: Headers): Promise<SignIn[]>;
  /** Ends one of the user's sign-ins. @throws NotFoundError */
  endSignIn(headers: Headers, id: string): Promise<void>;
  /** Extends a sign-in that is in use. Returns the cookies to send to the browser; empty if none has changed. */
  prolong(headers: Headers): Promise<Cookies>;
  /**
   * Signs the user out in every other browser, and revokes their API keys unless they choose to keep them.
   * @throws InvalidInputError if `current` is not their password
   */
  changePassword(headers: Headers, change: PasswordChange): Promise<void>;
}

/** A user's change of their own password. */
export interface PasswordChange {
  readonly current: string;
  readonly next: string;
  /** Default `revoke`. */
  readonly apiKeys?: KeyChoice | undefined;
}

interface AccountsOptions extends FaultLog {
  readonly database: Database;
  /** Origin of the pages of this server. */
  readonly origin: string;
  readonly secrets: AuthSecrets;
  /** Default: none. */
  readonly oidc?: OidcProvider | null;
}

/** Creates the accounts over better-auth, which stores and checks sign-ins. */
export function createAccounts({ database, oidc = null, ...options }: AccountsOptions): Accounts {
  const people = createPeople(database);
  const api = createSignIn({
    ...options,
    database,
    people,
    oidc,
  });
  const signIn = new BrowserSignIn(database, api);
  const passwordHash = async (belongsToUser: SQL) => {
    const [found] = await database.read
      .select({ hash: accounts.password })
      .from(accounts)
      .innerJoin(users, eq(users.id, accounts.userId))
      .where(and(belongsToUser, eq(accounts.providerId, 'credential')));
    return found?.hash ?? null;
  };
  const devices = createDeviceCookies(options.secrets, options.origin);
  const { origin } = options;
  return {
    origin,
    people,
    factors: createFactors({
      database,
      people,
      api,
      provider: oidc?.name ?? null,
      signIn,
    }),
    oidc:
      oidc &&
      createOidc({
        origin,
        provider: oidc,
        api,
        signIn,
        onFault: options.onFault,
      }),
    signedIn: (headers) => signIn.principal(headers),
    languageOf: async (headers) => {
      const language = (await signIn.read(headers))?.user.language;
      return isLanguage(language) ? language : null;
    },
    signIn: async (email, password, sent = new Headers()) => {
      try {
        const hash = await passwordHash(eq(users.email, email.toLowerCase()));
        const { headers, response } = await api.signInEmail({
          body: { email, password },
          headers: sent,
          returnHeaders: true,
        });
        if (!('user' in response)) return { person: null, cookies: onlyChallenges(headers.getSetCookie()) };
        const person = await people.find(response.user.id);
        if (!person) throw new UnauthenticatedError(WRONG);
        // A password change has ended all sign-ins while this one was in progress with the old password.
        if (hash !== (await passwordHash(eq(users.id, person.id)))) {
          await database.write((tx) => tx.delete(signIns).where(eq(signIns.token, response.token)).run());
          throw new UnauthenticatedError(WRONG);
        }
        await signIn.end(sent);
        return { person, cookies: headers.getSetCookie() };
      } catch (error) {
        throw translateError(error, WRONG);
      }
    },
    signOut: async (headers, everywhere = false) => {
      const found = everywhere ? await signIn.read(headers) : null;
      if (found) await database.write((tx) => tx.delete(signIns).where(eq(signIns.userId, found.user.id)).run());
      return (await api.signOut({ headers, returnHeaders: true })).headers.getSetCookie();
    },
    knownBrowser: async (headers, email) => {
      const device = devices.read(headers, email);
      if (device !== null) return device;
      const found = await signIn.read(headers);
      return found && !found.user.banned && found.user.email === email ? found.session.id : null;
    },
    rememberBrowser: (headers, email) => [devices.issue(headers, email)],
    signIns: async (headers) => {
      const found = await signIn.read(headers);
      if (!found) return [];
      const belongsToUser = and(eq(signIns.userId, found.user.id), gt(signIns.expiresAt, new Date()));
      const rows = await database.read.select().from(signIns).where(belongsToUser).orderBy(desc(signIns.updatedAt));
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
      const found = await signIn.read(headers);
      const isThisSignIn = and(eq(signIns.id, id), eq(signIns.userId, found?.user.id ?? ''));
      const { rowsAffected } = await database.write((tx) => tx.delete(signIns).where(isThisSignIn).run());
      if (rowsAffected === 0) throw new NotFoundError('sign-in', id);
    },
    prolong: async (headers) => {
      const { headers: sent, response } = await api.getSession({ headers, returnHeaders: true });
      const cookies = sent.getSetCookie();
      if (!response || cookies.length > 0) return cookies;
      // Signed with a former secret: the browser gets a cookie signed with the current one.
      const { values } = renewCookies(headers, options.secrets);
      const more = `; Max-Age=${SIGN_IN_S}; Path=/; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`;
      return [...values]
        .filter(([name]) => SESSION_COOKIE.test(name))
        .map(([name, value]) => `${name}=${value}${more}`);
    },
    changePassword: async (headers, { current: old, next, apiKeys }) => {
      const found = await signIn.read(headers);
      const hash = found && (await passwordHash(eq(users.id, found.user.id)));
      if (!found) throw new UnauthenticatedError(serverText('sign-in-first'));
      if (!hash) throw new InvalidInputError(serverText('no-password'));
      if (!(await verifyPassword({ hash, password: old })))
        throw new InvalidInputError(serverText('present-password-wrong'));
      await people.update(found.user.id, { password: next, apiKeys }, found.session.id);
    },
  };
}

/** One text for an unknown email address and a wrong password, so that it does not reveal which accounts exist. */
const WRONG = serverText('password-wrong');
