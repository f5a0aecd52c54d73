import { APIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { createSignInStore } from '#server/auth/sign-in-store';
import { createId, type IdPrefix } from '#server/core/ids';
import { MAX_PASSWORD, MIN_PASSWORD } from '#server/core/people';
import type { Database } from '#server/store/database';

const DAY_S = 86_400;

const PREFIX: Readonly<Record<string, IdPrefix>> = { user: 'usr', session: 'sin', account: 'acc', verification: 'ver' };

/** Code of the refusal of somebody who may not sign in. */
export const BANNED = 'BANNED';

export interface SignInOptions {
  readonly database: Database;
  /** Where our pages are. With https the cookie is sent over https only. */
  readonly origin: string;
  readonly secret: string;
  /** Hears what better-auth could not do. */
  readonly onFault: (message: string, error?: unknown) => void;
  /** Whether this user may not sign in. Asked once the password was right. */
  readonly isBanned: (userId: string) => Promise<boolean>;
}

/**
 * better-auth as a library: it checks passwords, keeps who is signed in, and signs the cookie. Its own routes are not
 * served, so nobody signs up; people are made by administrators (`People`).
 */
export function createSignIn({ database, origin, secret, onFault, isBanned }: SignInOptions) {
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
    session: { expiresIn: 30 * DAY_S, updateAge: DAY_S },
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
      ipAddress: { disableIpTracking: true },
      database: { generateId: ({ model }) => createId(PREFIX[model] ?? 'ver') },
    },
  });
}
