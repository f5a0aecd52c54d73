import { passkey } from '@better-auth/passkey';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { APIError, isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { type AuthSecrets, renewCookies, versionedSecrets } from '#server/auth/secret-rotation';
import { CLIENT_HEADER } from '#server/auth/client';
import { ForbiddenError, RateLimitedError, UnauthenticatedError } from '#server/core/errors';
import { createId, type IdPrefix } from '#server/core/ids';
import { OIDC_CALLBACK_PATH } from '#server/core/addresses';
import type { Role } from '#server/core/access-rights';
import { MAX_PASSWORD, MIN_PASSWORD } from '#server/core/limits';
import type { Database } from '#server/store/database';
import { accounts, passkeys, signIns, twoFactors, users, verifications } from '#server/store/schema/people';

/** Values of `Set-Cookie` for the answer. */
export type Cookies = readonly string[];

/**
 * Translates errors of better-auth. Anything but a refusal is a fault.
 * @param refusal what whoever is refused reads
 */
export function translate(error: unknown, refusal: string): unknown {
  if (!isAPIError(error)) return error;
  if (error.body?.code === BANNED) return new ForbiddenError('This account is suspended. Ask an administrator.');
  if (error.statusCode === 429) return new RateLimitedError('Too many codes were wrong. Try again later.', LOCKED_MS);
  if (error.body?.code === 'INVALID_TWO_FACTOR_COOKIE')
    return new UnauthenticatedError('This sign-in has to begin again: first the password, then the code.');
  return error.statusCode < 500 ? new UnauthenticatedError(refusal) : error;
}

/** Time an account takes no codes after ten wrong ones; milliseconds. */
const LOCKED_MS = 15 * 60_000;

const DAY_S = 86_400;
/** Life of a sign-in from its last use; seconds. */
export const SIGN_IN_S = 30 * DAY_S;

const PREFIX: Readonly<Record<string, IdPrefix>> = {
  user: 'usr',
  session: 'sin',
  account: 'acc',
  verification: 'ver',
  twoFactor: 'tfa',
  passkey: 'psk',
};

/** Code of the refusal of somebody who may not sign in. */
const BANNED = 'BANNED';

/** An OpenID Connect provider. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** For people. */
  readonly name: string;
  /** Role of those who have no account yet; null: they are not let in. */
  readonly newRole: Role | null;
}

/** better-auth's provider id. */
export const OIDC = 'oidc';

export interface SignInOptions {
  readonly database: Database;
  /** Address of our pages. With https the cookie is sent over https only. */
  readonly origin: string;
  readonly secrets: AuthSecrets;
  /** Hears what better-auth could not do. */
  readonly onFault: (message: string, error?: unknown) => void;
  /** Provider to sign in with; null: none. */
  readonly oidc: OidcProvider | null;
  /** Tells whether there is anybody yet. */
  readonly isEmpty: () => Promise<boolean>;
  /** Tells whether this user is banned. Asked once the password was right. */
  readonly isBanned: (userId: string) => Promise<boolean>;
}

/** Interface to better-auth. */
export type SignInApi = ReturnType<typeof createSignIn>;

/**
 * better-auth as a library: it checks passwords, passkeys and codes, keeps who is signed in, and signs the cookie. Its own routes are not
 * served, so nobody signs up; people are made by administrators (`People`).
 */
export function createSignIn({ database, origin, secrets, oidc, onFault, isEmpty, isBanned }: SignInOptions) {
  const { api } = betterAuth({
    secrets: versionedSecrets(secrets),
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
        // What a provider makes begins with these; the hook below gives it the role that is set.
        role: { type: 'string', required: true, input: false, defaultValue: 'author' satisfies Role },
        banned: { type: 'boolean', required: true, input: false, defaultValue: false },
        language: { type: 'string', required: false, input: false },
        sites: { type: 'json', required: false, input: false },
      },
    },
    // How fresh a sign-in has to be, our routes ask (`isFresh`).
    account: {
      // An administrator has entered the address of whoever is here, so the provider's word is asked for, and not ours.
      accountLinking: { requireLocalEmailVerified: false },
      updateAccountOnSignIn: false,
    },
    session: { expiresIn: SIGN_IN_S, updateAge: DAY_S, freshAge: 0 },
    databaseHooks: {
      user: {
        create: {
          // Only an OpenID Connect provider makes people here. The first one has the code of the log.
          before: async (user) => {
            if (!oidc?.newRole || !user.emailVerified || (await isEmpty())) return false;
            return { data: { ...user, image: null, role: oidc.newRole, banned: false } };
          },
        },
      },
      account: {
        create: {
          // What opens the provider's doors is of no use here.
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            if (await isBanned(userId)) throw APIError.from('FORBIDDEN', { code: BANNED, message: 'Suspended.' });
          },
        },
      },
    },
    plugins: [
      ...(oidc ? [genericOAuth({ config: [configOf(oidc, origin)] })] : []),
      twoFactor({ issuer: new URL(origin).host, allowPasswordless: true }),
      passkey({
        rpName: new URL(origin).host,
        origin,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        registration: {
          afterVerification: ({ verification }) => requireVerifiedUser(verification.registrationInfo?.userVerified),
        },
        authentication: {
          afterVerification: ({ verification }) => requireVerifiedUser(verification.authenticationInfo.userVerified),
        },
      }),
    ],
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
  // Whatever is asked comes with cookies of before, too.
  return new Proxy(api, {
    get: (target, name) => {
      const endpoint: unknown = Reflect.get(target, name);
      if (typeof endpoint !== 'function' || secrets.former.length === 0) return endpoint;
      return (input: { headers?: Headers } = {}) =>
        endpoint(
          input.headers ? { ...input, headers: renewCookies(input.headers, secrets).headers } : input,
        ) as unknown;
    },
  });
}

function configOf({ issuer, clientId, clientSecret, name, newRole }: OidcProvider, origin: string) {
  return {
    providerId: OIDC,
    name,
    discoveryUrl: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    scopes: ['openid', 'email', 'profile'],
    redirectURI: `${origin}${OIDC_CALLBACK_PATH}`,
    requireIdTokenVerification: true,
    disableSignUp: newRole === null,
  };
}

/** A passkey stands for both factors, so its device has to have asked for a finger, a face or a PIN. */
function requireVerifiedUser(isVerified: boolean | undefined): void {
  if (isVerified !== true)
    throw APIError.from('BAD_REQUEST', { code: 'NOT_VERIFIED', message: 'The device asked for no PIN or finger.' });
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
    schema: {
      user: users,
      session: signIns,
      account: accounts,
      verification: verifications,
      twoFactor: twoFactors,
      passkey: passkeys,
    },
  });
}

/** A statement that drizzle has built: every `?` in it stands for a value. */
function toSql(text: string, params: readonly unknown[]): SQL {
  const [first = '', ...rest] = text.split('?');
  return sql.join([sql.raw(first), ...rest.flatMap((piece, at) => [sql.param(params[at]), sql.raw(piece)])]);
}
