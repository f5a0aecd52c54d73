import type { FaultLog } from '#server/core/process';
import { passkey } from '@better-auth/passkey';
import type { BetterAuthPlugin } from 'better-auth';
import type { OAuthProvider } from 'better-auth/oauth2';
import { drizzleAdapter } from 'better-auth/adapters/drizzle';
import { APIError, isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { twoFactor } from 'better-auth/plugins/two-factor';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { type AuthSecrets, renewCookies, versionedSecrets } from '#server/platform/auth/secret-rotation';
import { createOidcProvider, type OidcProvider } from '#server/platform/auth/oidc-provider';
import type { People } from '#server/platform/auth/people';
import { CLIENT_HEADER } from '#server/platform/auth/trusted-headers';
import { ForbiddenError, RateLimitedError, UnauthenticatedError } from '#server/core/errors';
import { createId, type IdPrefix } from '#server/core/ids';
import type { Role } from '#server/core/admin/access-rights';
import { MAX_PASSWORD, MIN_PASSWORD } from '#server/core/limits';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import type { Database } from '#server/platform/database/database';
import { accounts, passkeys, signIns, twoFactors, users, verifications } from '#server/platform/database/schema/people';

/** Values of `Set-Cookie` for the response. */
export type Cookies = readonly string[];

/**
 * Translates an error of better-auth into one of ours, or returns it unchanged if it is not a refusal of the person.
 * @param refusal message for the refused person
 */
export function translateError(error: unknown, refusal: ServerText): unknown {
  if (!isAPIError(error)) return error;
  if (error.body?.code === BANNED) return new ForbiddenError(serverText('account-suspended'));
  if (error.statusCode === 429) return new RateLimitedError(serverText('too-many-codes'), LOCKED_MS);
  if (error.body?.code === 'INVALID_TWO_FACTOR_COOKIE')
    return new UnauthenticatedError(serverText('sign-in-begins-again'));
  return error.statusCode < 500 ? new UnauthenticatedError(refusal) : error;
}

/** Time for which better-auth refuses codes of an account after ten wrong ones (its default); milliseconds. */
const LOCKED_MS = 15 * 60_000;

const DAY_S = 86_400;
/** Lifetime of a sign-in from its last use; seconds. A choice, not measured. */
export const SIGN_IN_S = 30 * DAY_S;

/** Prefixes of ids by better-auth's name of the table. */
const ID_PREFIXES: Readonly<Record<string, IdPrefix>> = {
  user: 'usr',
  session: 'sin',
  account: 'acc',
  verification: 'ver',
  twoFactor: 'tfa',
  passkey: 'psk',
};

/** Error code for a person who may not sign in. */
const BANNED = 'BANNED';

/** How people sign in. */
export interface SignInOptions extends FaultLog {
  readonly database: Database;
  /** Origin of our pages. With https, the cookie is sent over https only. */
  readonly origin: string;
  readonly secrets: AuthSecrets;
  /** Provider for sign-ins; null: none. */
  readonly oidc: OidcProvider | null;
  readonly people: People;
}

/** The functions of better-auth that this server calls. */
export type SignInApi = ReturnType<typeof createSignIn>;

/**
 * better-auth as a library: it checks passwords, passkeys and codes, stores sign-ins, and signs the cookie. Its own
 * routes are not served, so people cannot sign up; administrators create accounts (`People`).
 */
export function createSignIn({ database, origin, secrets, oidc, onFault, people }: SignInOptions) {
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
        // Accounts created by a provider start with these values; the hook below assigns the configured role.
        role: { type: 'string', required: true, input: false, defaultValue: 'author' satisfies Role },
        banned: { type: 'boolean', required: true, input: false, defaultValue: false },
        language: { type: 'string', required: false, input: false },
        sites: { type: 'json', required: false, input: false },
      },
    },
    account: {
      // An administrator has entered the email address, so only the provider has to have verified it, not this server.
      accountLinking: { requireLocalEmailVerified: false },
      updateAccountOnSignIn: false,
    },
    session: {
      expiresIn: SIGN_IN_S,
      updateAge: DAY_S,
      // Our routes check how recent a sign-in has to be (`isFresh`).
      freshAge: 0,
      additionalFields: { authenticatedAt: { type: 'date', required: false, input: false } },
    },
    databaseHooks: {
      user: {
        create: {
          // Only an OpenID Connect provider creates users here. The first account requires the code from the log.
          before: async (user) => {
            if (!oidc?.newRole || !user.emailVerified || (await people.isEmpty())) return false;
            return { data: { ...user, image: null, role: oidc.newRole, banned: false } };
          },
        },
      },
      account: {
        create: {
          // The provider's tokens are not used here.
          before: async (account) => ({
            data: { ...account, accessToken: null, refreshToken: null, idToken: null },
          }),
        },
      },
      session: {
        create: {
          before: async ({ userId }) => {
            // Called after the password was verified.
            if ((await people.find(userId))?.banned ?? true)
              throw APIError.from('FORBIDDEN', { code: BANNED, message: 'Suspended.' });
          },
        },
      },
    },
    plugins: [
      ...(oidc ? [oidcPlugin(createOidcProvider(oidc, origin))] : []),
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
    logger: { level: 'error', log: (_level, message, ...details) => onFault(message, errorIn(details)) },
    advanced: {
      cookiePrefix: 'throughline',
      useSecureCookies: origin.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' },
      // Stored with each sign-in and shown to its user. Our server overwrites the client's value.
      ipAddress: { ipAddressHeaders: [CLIENT_HEADER] },
      database: { generateId: ({ model }) => createId(ID_PREFIXES[model] ?? 'ver') },
    },
  });
  // Every request may carry cookies signed with former secrets.
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

/** A plugin that registers a provider, so that better-auth finds it by its id. */
function oidcPlugin(provider: OAuthProvider) {
  return {
    id: 'openid-connect',
    init: (context: { readonly socialProviders: readonly OAuthProvider[] }) => ({
      context: { socialProviders: [provider, ...context.socialProviders] },
    }),
  } satisfies BetterAuthPlugin;
}

/**
 * The first error among the values that better-auth logs with a message. Without one, wraps the first value in an
 * error, because our log writes nothing of other objects.
 */
function errorIn(details: readonly unknown[]): unknown {
  const error = details.find((each) => each instanceof Error);
  const [first] = details;
  if (error !== undefined || typeof first !== 'object' || first === null) return error ?? first;
  return new Error(JSON.stringify(first));
}

/** A passkey replaces both factors, so its device must have verified the user by fingerprint, face or PIN. */
function requireVerifiedUser(isVerified: boolean | undefined): void {
  if (isVerified !== true)
    throw APIError.from('BAD_REQUEST', { code: 'NOT_VERIFIED', message: 'The device asked for no PIN or finger.' });
}

/**
 * better-auth's own adapter on our database. Every statement goes through `Database`: each change is a separate write
 * in the common queue.
 */
function createSignInStore(database: Database) {
  const proxy = drizzle(async (text, params: unknown[], method) => {
    const statement = toSql(text, params);
    if (method === 'run') {
      const { rowsAffected } = await database.write((tx) => tx.run(statement));
      // The adapter counts the changed rows; drizzle passes this on unchanged.
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

/** A statement built by drizzle: every `?` in it is a placeholder for a value. */
function toSql(text: string, params: readonly unknown[]): SQL {
  const [first = '', ...rest] = text.split('?');
  return sql.join([sql.raw(first), ...rest.flatMap((piece, at) => [sql.param(params[at]), sql.raw(piece)])]);
}
