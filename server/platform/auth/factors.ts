import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { and, desc, eq, gt, lt } from 'drizzle-orm';
import { type Cookies, type SignInApi, translateError } from '#server/platform/auth/better-auth';
import type { BrowserSignIn } from '#server/platform/auth/browser-sign-in';
import type { People } from '#server/platform/auth/people';
import { hashOf } from '#server/platform/auth/verifications';
import { ForbiddenError, InvalidInputError, NotFoundError, UnauthenticatedError } from '#server/core/errors';
import type { JsonObject } from '#server/core/json';
import type { NewTotp, Passkey, Person, SignInFactors } from '#server/core/admin/people';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { accounts, passkeys, signIns, twoFactors, users, verifications } from '#server/platform/database/schema/people';

/** Passkeys and one-time codes: additional factors, and sign-ins with them. */
export interface Factors {
  /** Sign-in factors of the user of these headers. */
  of(headers: Headers): Promise<SignInFactors>;
  /** Options with which the browser creates a passkey. Its answer must be sent with the cookies of the challenge. */
  passkeyOptions(headers: Headers): Promise<Challenge>;
  /**
   * Stores the passkey that a browser has created with `passkeyOptions`.
   * @param answer of the browser
   * @throws InvalidInputError for an answer that does not match the challenge, UnauthenticatedError for nobody signed in
   */
  addPasskey(headers: Headers, answer: JsonObject, name: string): Promise<Passkey>;
  /** Removes a passkey of the signed-in user. @throws NotFoundError */
  removePasskey(headers: Headers, id: string): Promise<Passkey>;
  /** Options for a sign-in with a passkey. If a user is signed in: only with a passkey of this user. */
  signInOptions(headers: Headers): Promise<Challenge>;
  /**
   * Completes a sign-in with the browser's answer to `signInOptions`.
   * @throws UnauthenticatedError; ForbiddenError for a banned person
   */
  signInWithPasskey(headers: Headers, answer: JsonObject): Promise<CompletedSignIn>;
  /**
   * Creates a secret for an authenticator app, and recovery codes; both are shown only this once. Codes are not
   * required before `confirmTotp`.
   * @throws InvalidInputError for a wrong password
   */
  beginTotp(headers: Headers, password: string): Promise<NewTotp>;
  /** Makes codes of the app required, after a first correct code. @throws InvalidInputError for a wrong code */
  confirmTotp(headers: Headers, code: string): Promise<Cookies>;
  /** Removes the app: codes are no longer required. @throws InvalidInputError for a wrong password */
  endTotp(headers: Headers, password: string): Promise<Cookies>;
  /**
   * Confirms the signed-in person with a code of their app: their sign-in counts as fresh from now on.
   * @throws InvalidInputError for a wrong or used code, and without an app
   */
  confirmWithCode(headers: Headers, code: string): Promise<void>;
  /**
   * Completes the sign-in of a person whose password was verified before.
   * @param code of the app, or a recovery code if `isRecovery`; each works once
   * @throws UnauthenticatedError for a wrong or used code, RateLimitedError after too many wrong ones
   */
  signInWithCode(headers: Headers, code: string, isRecovery: boolean): Promise<CompletedSignIn>;
  /**
   * Email address of the account whose sign-in waits for a code in this browser, because the password was correct; null
   * if none waits.
   */
  waitingForCode(headers: Headers): Promise<string | null>;
  /** Email address of the account that a passkey's answer names, before the answer is verified; null if unknown. */
  ownerOfPasskey(answer: JsonObject): Promise<string | null>;
}

/** Options for a browser, and the cookies with which its answer must be sent. */
interface Challenge {
  readonly options: unknown;
  readonly cookies: Cookies;
}

/** A person who has just signed in, and the cookies of the sign-in. */
export interface CompletedSignIn {
  readonly person: Person;
  readonly cookies: Cookies;
}

interface FactorsDeps {
  readonly database: Database;
  readonly people: People;
  readonly api: SignInApi;
  /** Name of the OpenID Connect provider; null if none is configured. */
  readonly provider: string | null;
  readonly signIn: BrowserSignIn;
}

const NOT_THIS_PASSKEY = serverText('passkey-refused');
const WRONG_CODE = serverText('code-wrong');
const USED_CODE = serverText('code-used');
const WRONG_PASSWORD = serverText('present-password-wrong');

/** Creates the second factors of accounts. */
export function createFactors({ database, people, api, provider, signIn }: FactorsDeps): Factors {
  const userOf = async (headers: Headers) => {
    const found = await signIn.read(headers);
    if (!found) throw new UnauthenticatedError(serverText('sign-in-first'));
    return found.user.id;
  };
  /** Runs a call of better-auth and translates its errors. @param refusal message for the person */
  const attempt = async <T>(work: () => Promise<T>, refusal: ServerText): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translateError(error, refusal);
    }
  };
  /** For a signed-in person, a wrong code or password is a form error. */
  const inForm = async <T>(work: () => Promise<T>, refusal: ServerText): Promise<T> => {
    try {
      return await attempt(work, refusal);
    } catch (error) {
      throw error instanceof UnauthenticatedError ? new InvalidInputError(refusal) : error;
    }
  };
  const completeSignIn = async (request: Headers, userId: string, response: Headers): Promise<CompletedSignIn> => {
    const person = await people.find(userId);
    if (!person) throw new UnauthenticatedError(NOT_THIS_PASSKEY);
    await signIn.end(request);
    return { person, cookies: response.getSetCookie() };
  };

  const factorsOf = async (userId: string): Promise<SignInFactors> => {
    const [own, [app], [credential]] = await Promise.all([
      database.read.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(desc(passkeys.createdAt)),
      database.read
        .select()
        .from(twoFactors)
        .where(and(eq(twoFactors.userId, userId), eq(twoFactors.verified, true))),
      database.read
        .select()
        .from(accounts)
        .where(and(eq(accounts.userId, userId), eq(accounts.providerId, 'credential'), gt(accounts.password, ''))),
    ]);
    return {
      provider,
      hasPassword: credential !== undefined,
      hasTotp: app !== undefined,
      passkeys: own.map(toPasskey),
    };
  };

  return {
    of: async (headers) => factorsOf(await userOf(headers)),

    passkeyOptions: async (headers) => {
      await userOf(headers);
      const made = await api.generatePasskeyRegistrationOptions({ headers, query: {}, returnHeaders: true });
      return { options: made.response, cookies: made.headers.getSetCookie() };
    },
    addPasskey: async (headers, response, name) => {
      const userId = await userOf(headers);
      const { id } = await inForm(
        () => api.verifyPasskeyRegistration({ headers, body: { response, name } }),
        serverText('passkey-not-accepted'),
      );
      const isIt = and(eq(passkeys.id, id), eq(passkeys.userId, userId));
      const [added] = await database.read.select().from(passkeys).where(isIt);
      if (!added) throw new NotFoundError('passkey', id);
      return toPasskey(added);
    },
    removePasskey: async (headers, id) => {
      const userId = await userOf(headers);
      const isIt = and(eq(passkeys.id, id), eq(passkeys.userId, userId));
      const [removed] = await database.write((tx) => tx.delete(passkeys).where(isIt).returning());
      if (!removed) throw new NotFoundError('passkey', id);
      return toPasskey(removed);
    },

    signInOptions: async (headers) => {
      const made = await api.generatePasskeyAuthenticationOptions({ headers, returnHeaders: true });
      return { options: made.response, cookies: onlyChallenges(made.headers.getSetCookie()) };
    },
    signInWithPasskey: (headers, response) =>
      attempt(async () => {
        const entered = await api.verifyPasskeyAuthentication({
          headers,
          body: { response: response as unknown as AuthenticationResponseJSON },
          returnHeaders: true,
        });
        return completeSignIn(headers, entered.response.user.id, entered.headers);
      }, NOT_THIS_PASSKEY),

    beginTotp: (headers, password) =>
      inForm(async () => {
        const made = await api.enableTwoFactor({ headers, body: { password, method: 'totp' } });
        if (made.method !== 'totp') throw new ForbiddenError(serverText('codes-not-here'));
        return { uri: made.totpURI, recoveryCodes: made.backupCodes };
      }, WRONG_PASSWORD),
    confirmTotp: async (headers, code) => {
      const userId = await userOf(headers);
      const done = await inForm(
        () => api.verifyTOTP({ headers, body: { code: digits(code) }, returnHeaders: true }),
        WRONG_CODE,
      );
      await database.write((tx) => markCodeUsed(tx, userId, digits(code)));
      return done.headers.getSetCookie();
    },
    endTotp: async (headers, password) => {
      const done = await inForm(
        () => api.disableTwoFactor({ headers, body: { password }, returnHeaders: true }),
        WRONG_PASSWORD,
      );
      return done.headers.getSetCookie();
    },

    confirmWithCode: async (headers, code) => {
      const userId = await userOf(headers);
      const { hasTotp } = await factorsOf(userId);
      if (!hasTotp) throw new InvalidInputError(serverText('no-code-app'));
      await inForm(() => api.verifyTOTP({ headers, body: { code: digits(code) } }), WRONG_CODE);
      if (!(await database.write((tx) => markCodeUsed(tx, userId, digits(code)))))
        throw new InvalidInputError(USED_CODE);
      await signIn.setAuthenticated(headers, Date.now());
    },

    signInWithCode: (headers, code, isRecovery) =>
      attempt(async () => {
        // An existing session would turn this call into a check of that session.
        const sent = withoutSession(headers);
        const entered = isRecovery
          ? await api.verifyBackupCode({ headers: sent, body: { code: code.trim() }, returnHeaders: true })
          : await api.verifyTOTP({ headers: sent, body: { code: digits(code) }, returnHeaders: true });
        const { token, user } = entered.response;
        const isFirst = isRecovery || (await database.write((tx) => markCodeUsed(tx, user.id, digits(code), token)));
        if (!isFirst) throw new UnauthenticatedError(USED_CODE);
        return completeSignIn(headers, user.id, entered.headers);
      }, WRONG_CODE),

    waitingForCode: async (headers) => {
      const identifier = challengeIn(headers);
      if (identifier === null) return null;
      const [waiting] = await database.read
        .select({ email: users.email })
        .from(verifications)
        .innerJoin(users, eq(users.id, verifications.value))
        .where(and(eq(verifications.identifier, identifier), gt(verifications.expiresAt, new Date())));
      return waiting?.email ?? null;
    },
    ownerOfPasskey: async ({ id }) => {
      if (typeof id !== 'string') return null;
      const [owner] = await database.read
        .select({ email: users.email })
        .from(passkeys)
        .innerJoin(users, eq(users.id, passkeys.userId))
        .where(eq(passkeys.credentialID, id));
      return owner?.email ?? null;
    },
  };
}

/** The cookie that better-auth sets after a correct password if a code is required: an unguessable identifier, signed. */
const CHALLENGE_COOKIE = /^(?:__Secure-)?throughline\.two_factor=(2fa-[^.]+)/;

function challengeIn(headers: Headers): string | null {
  for (const cookie of (headers.get('cookie') ?? '').split('; ')) {
    const identifier = CHALLENGE_COOKIE.exec(cookie)?.[1];
    if (identifier !== undefined) return identifier;
  }
  return null;
}

/** Apps show codes in groups of digits. */
const digits = (code: string) => code.replaceAll(/\D/g, '');

/** Lifetime of a code: its own step of 30 seconds, the previous one and the next one (RFC 6238, 5.2); milliseconds. */
const CODE_LIFETIME_MS = 3 * 30_000;

/**
 * Marks a correct code as used: a code works once (RFC 6238, 5.2).
 * @param token of the sign-in that better-auth has created with the code; it is deleted if the code was used before
 * @returns false if the code was used before
 */
async function markCodeUsed(tx: StoreTransaction, userId: string, code: string, token?: string): Promise<boolean> {
  const now = new Date();
  const purpose = 'used-code';
  await tx.delete(verifications).where(and(eq(verifications.identifier, purpose), lt(verifications.expiresAt, now)));
  const taken = await tx
    .insert(verifications)
    .values({
      id: `${purpose}-${hashOf(`${userId} ${code}`)}`,
      identifier: purpose,
      value: '',
      expiresAt: new Date(now.getTime() + CODE_LIFETIME_MS),
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoNothing()
    .returning({ id: verifications.id });
  if (taken.length === 0 && token !== undefined) await tx.delete(signIns).where(eq(signIns.token, token));
  return taken.length > 0;
}

function toPasskey({ id, name, createdAt }: typeof passkeys.$inferSelect): Passkey {
  return { id, name: name ?? '', createdAt: createdAt?.getTime() ?? null };
}

/** Names of better-auth's cookies of a sign-in, with any prefix. */
export const SESSION_COOKIE = /session_(token|data)$/;

function withoutSession(headers: Headers): Headers {
  const kept = (headers.get('cookie') ?? '')
    .split('; ')
    .filter((each) => !SESSION_COOKIE.test(each.split('=')[0] ?? ''));
  const copy = new Headers(headers);
  copy.set('cookie', kept.join('; '));
  return copy;
}

/** Removes the session cookies from a response: a challenge must not end the browser's present sign-in. */
export function onlyChallenges(cookies: Cookies): Cookies {
  return cookies.filter((cookie) => !SESSION_COOKIE.test(cookie.split('=')[0] ?? ''));
}
