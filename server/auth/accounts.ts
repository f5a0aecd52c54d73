import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { APIError, isAPIError } from 'better-auth/api';
import { verifyPassword } from 'better-auth/crypto';
import { betterAuth } from 'better-auth/minimal';
import { and, desc, eq, gt, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { CLIENT_HEADER } from '#server/auth/client';
import { createPeople, type People } from '#server/auth/people';
import { ForbiddenError, InvalidInputError, NotFoundError, UnauthenticatedError } from '#server/core/errors';
import { createId, type IdPrefix } from '#server/core/ids';
import { MAX_PASSWORD, MIN_PASSWORD } from '#server/core/limits';
import { type KeyChoice, type Person, type Principal, principalOf, type SignIn } from '#server/core/people';
import type { Database } from '#server/store/database';
import { accounts, signIns, users, verifications } from '#server/store/schema/people';

/** Values of `Set-Cookie` for the answer. */
type Cookies = readonly string[];

/** User accounts and their sign-ins. */
export interface Accounts {
  /** Address of our pages: `https://cms.example`. */
  readonly origin: string;
  readonly people: People;
  /** Null: nobody has signed in with the cookie of these headers, or may not any more. */
  signedIn(headers: Headers): Promise<Principal | null>;
  /**
   * Signs a browser in anew; its sign-in of before ends.
   * @param headers of its request
   * @throws UnauthenticatedError, the same for an e-mail that nobody has and for a wrong password; ForbiddenError
   */
  signIn(
    email: string,
    password: string,
    headers?: Headers,
  ): Promise<{ readonly person: Person; readonly cookies: Cookies }>;
  /** Ends the sign-in of these headers, if there is one; `everywhere`: all others of that user, too. */
  signOut(headers: Headers, everywhere?: boolean): Promise<Cookies>;
  /** Where the user of these headers is signed in, what was used last first. */
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
  readonly secret: string;
  readonly onFault: (message: string, error?: unknown) => void;
}

export function createAccounts({ database, ...options }: AccountsOptions): Accounts {
  const people = createPeople(database);
  const { api } = createSignIn({
    ...options,
    database,
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
  return {
    origin: options.origin,
    people,
    signedIn: async (headers) => {
      const found = await current(headers);
      if (!found || found.user.banned) return null;
      const principal = principalOf(found.user as unknown as typeof users.$inferSelect);
      return { ...principal, signedInAt: found.session.createdAt.getTime() };
    },
    signIn: async (email, password, sent = new Headers()) => {
      try {
        const former = await current(sent);
        const hash = await passwordOf(eq(users.email, email.toLowerCase()));
        const { headers, response } = await api.signInEmail({
          body: { email, password },
          headers: sent,
          returnHeaders: true,
        });
        const person = await people.find(response.user.id);
        if (!person) throw new UnauthenticatedError(WRONG);
        // A new password has ended all sign-ins while this one was on its way with the former.
        if (hash !== (await passwordOf(eq(users.id, person.id)))) {
          await database.write((tx) => tx.delete(signIns).where(eq(signIns.token, response.token)).run());
          throw new UnauthenticatedError(WRONG);
        }
        if (former) await database.write((tx) => tx.delete(signIns).where(eq(signIns.id, former.session.id)).run());
        return { person, cookies: headers.getSetCookie() };
      } catch (error) {
        throw translate(error);
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
    prolong: async (headers) => (await api.getSession({ headers, returnHeaders: true })).headers.getSetCookie(),
    changePassword: async (headers, { current: old, next, apiKeys }) => {
      const found = await current(headers);
      const hash = found && (await passwordOf(eq(users.id, found.user.id)));
      if (!found || !hash) throw new UnauthenticatedError('Sign in first.');
      if (!(await verifyPassword({ hash, password: old })))
        throw new InvalidInputError('This is not your present password.');
      await people.update(found.user.id, { password: next, apiKeys }, found.session.id);
    },
  };
}

const WRONG = 'The e-mail address or the password is wrong.';

/** Translates errors of better-auth. Anything but a refusal is a fault. */
function translate(error: unknown): unknown {
  if (!isAPIError(error)) return error;
  if (error.body?.code === BANNED) return new ForbiddenError('This account is suspended. Ask an administrator.');
  return error.statusCode === 401 ? new UnauthenticatedError(WRONG) : error;
}

const DAY_S = 86_400;

const PREFIX: Readonly<Record<string, IdPrefix>> = { user: 'usr', session: 'sin', account: 'acc', verification: 'ver' };

/** Code of the refusal of somebody who may not sign in. */
const BANNED = 'BANNED';

export interface SignInOptions {
  readonly database: Database;
  /** Address of our pages. With https the cookie is sent over https only. */
  readonly origin: string;
  readonly secret: string;
  /** Hears what better-auth could not do. */
  readonly onFault: (message: string, error?: unknown) => void;
  /** Tells whether this user is banned. Asked once the password was right. */
  readonly isBanned: (userId: string) => Promise<boolean>;
}

/**
 * better-auth as a library: it checks passwords, keeps who is signed in, and signs the cookie. Its own routes are not
 * served, so nobody signs up; people are made by administrators (`People`).
 */
function createSignIn({ database, origin, secret, onFault, isBanned }: SignInOptions) {
  return betterAuth({
    secret,
    baseURL: origin,
    database: createSignInStore(database),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD,
      maxPasswordLength: MAX_PASSWORD,
    },
    user: {
      additionalFields: {
        role: { type: 'string', required: true, input: false },
        banned: { type: 'boolean', required: true, input: false },
      },
    },
    // How fresh a sign-in has to be, our routes ask (`isFresh`).
    session: { expiresIn: 30 * DAY_S, updateAge: DAY_S, freshAge: 0 },
    databaseHooks: {
      session: {
        create: {
          before: async ({ userId }) => {
            if (await isBanned(userId)) throw APIError.from('FORBIDDEN', { code: BANNED, message: 'Suspended.' });
          },
        },
      },
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message, ...details) => onFault(message, details[0]) },
    advanced: {
      cookiePrefix: 'throughline',
      useSecureCookies: origin.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      // Our server sets it, whatever the client sent; for whoever looks at their own sign-ins.
      ipAddress: { ipAddressHeaders: [CLIENT_HEADER] },
      database: { generateId: ({ model }) => createId(PREFIX[model] ?? 'ver') },
    },
  });
}

/**
 * better-auth's own adapter on our database. Every statement goes through `Database`: what changes something is a write
 * of its own, in turn with everybody else's.
 */
function createSignInStore(database: Database) {
  const proxy = drizzle(async (text, params: unknown[], method) => {
    const statement = toSql(text, params);
    if (method === 'run') {
      const { rowsAffected } = await database.write((tx) => tx.run(statement));
      // The adapter counts what was changed; drizzle itself hands this on as it is.
      return { rows: [], rowsAffected };
    }
    const isRead = /^select /i.test(text);
    return { rows: await (isRead ? database.read.values(statement) : database.write((tx) => tx.values(statement))) };
  });
  return drizzleAdapter(proxy, {
    provider: 'sqlite',
    schema: { user: users, session: signIns, account: accounts, verification: verifications },
  });
}

/** A statement that drizzle has built: every `?` in it stands for a value. */
function toSql(text: string, params: readonly unknown[]): SQL {
  const [first = '', ...rest] = text.split('?');
  return sql.join([sql.raw(first), ...rest.flatMap((piece, at) => [sql.param(params[at]), sql.raw(piece)])]);
}
