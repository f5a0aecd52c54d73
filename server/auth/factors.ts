import type { AuthenticationResponseJSON } from '@simplewebauthn/browser';
import { and, desc, eq, gt, lt } from 'drizzle-orm';
import { type Cookies, type SignInApi, translate } from '#server/auth/better-auth';
import type { People } from '#server/auth/people';
import { hashOf } from '#server/auth/verifications';
import { ForbiddenError, InvalidInputError, NotFoundError, UnauthenticatedError } from '#server/core/errors';
import type { JsonObject } from '#server/core/json';
import type { NewTotp, Passkey, Person, SignInFactors } from '#server/core/people';
import type { Database, StoreTransaction } from '#server/store/database';
import { accounts, passkeys, signIns, twoFactors, verifications } from '#server/store/schema/people';

/** Passkeys and one-time codes: what people add to their password, and how they sign in with it. */
export interface Factors {
  /** Sign-in factors of the user of these headers. */
  of(headers: Headers): Promise<SignInFactors>;
  /** Options for the browser to make a passkey with; the answer has to come with the cookies. */
  passkeyOptions(headers: Headers): Promise<Challenge>;
  /** @throws UnauthenticatedError for an answer that does not fit */
  addPasskey(headers: Headers, answer: JsonObject, name: string): Promise<Passkey>;
  /** @throws NotFoundError */
  removePasskey(headers: Headers, id: string): Promise<Passkey>;
  /** Options for the browser to sign in with a passkey: any, or one of the user of these headers. */
  signInOptions(headers: Headers): Promise<Challenge>;
  /** @throws UnauthenticatedError, ForbiddenError for who is suspended */
  signInWithPasskey(headers: Headers, answer: JsonObject): Promise<Entered>;
  /**
   * Makes a secret for an app, and recovery codes; both are shown this one time. Nothing is asked for before `confirmTotp`.
   * @throws InvalidInputError for a wrong password
   */
  beginTotp(headers: Headers, password: string): Promise<NewTotp>;
  /** @throws InvalidInputError for a wrong code */
  confirmTotp(headers: Headers, code: string): Promise<Cookies>;
  /** @throws InvalidInputError for a wrong password */
  endTotp(headers: Headers, password: string): Promise<Cookies>;
  /** Signs in whoever has given a right password before, with a code of the app or one of the recovery codes. */
  signInWithCode(headers: Headers, code: string, isRecovery: boolean): Promise<Entered>;
}

/** Options for a browser, and the cookies that its answer has to come with. */
interface Challenge {
  readonly options: unknown;
  readonly cookies: Cookies;
}

/** Somebody who has signed in. */
export interface Entered {
  readonly person: Person;
  readonly cookies: Cookies;
}

interface FactorsDeps {
  readonly database: Database;
  readonly people: People;
  readonly api: SignInApi;
  /** Name of the OpenID Connect provider; null: none is set. */
  readonly provider: string | null;
  /** Ends the sign-in that a browser had before. */
  readonly endFormer: (headers: Headers) => Promise<void>;
}

const NOT_THIS_PASSKEY = 'This passkey was not accepted. Try again, or sign in with your password.';
const WRONG_CODE = 'This code is not right. Codes change every 30 seconds; begin anew if the page was open for long.';
const USED_CODE = 'This code was used before. Sign in again with the next one.';
const WRONG_PASSWORD = 'This is not your present password.';

export function createFactors({ database, people, api, provider, endFormer }: FactorsDeps): Factors {
  const userOf = async (headers: Headers) => {
    const found = await api.getSession({ headers, query: { disableRefresh: true } });
    if (!found) throw new UnauthenticatedError('Sign in first.');
    return found.user.id;
  };
  const attempt = async <T>(work: () => Promise<T>, refusal: string): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translate(error, refusal);
    }
  };
  /** For somebody who is signed in, a wrong code or password is a mistake in a form. */
  const inForm = async <T>(work: () => Promise<T>, refusal: string): Promise<T> => {
    try {
      return await attempt(work, refusal);
    } catch (error) {
      throw error instanceof UnauthenticatedError ? new InvalidInputError(refusal) : error;
    }
  };
  const enter = async (former: Headers, userId: string, sent: Headers): Promise<Entered> => {
    const person = await people.find(userId);
    if (!person) throw new UnauthenticatedError(NOT_THIS_PASSKEY);
    await endFormer(former);
    return { person, cookies: sent.getSetCookie() };
  };

  return {
    async of(headers) {
      const userId = await userOf(headers);
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
    },

    passkeyOptions: async (headers) => {
      await userOf(headers);
      const made = await api.generatePasskeyRegistrationOptions({ headers, query: {}, returnHeaders: true });
      return { options: made.response, cookies: made.headers.getSetCookie() };
    },
    addPasskey: async (headers, response, name) => {
      const userId = await userOf(headers);
      const { id } = await inForm(
        () => api.verifyPasskeyRegistration({ headers, body: { response, name } }),
        'The passkey was not accepted. It has to be kept by a device that asks for a PIN, a finger or a face.',
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
        return enter(headers, entered.response.user.id, entered.headers);
      }, NOT_THIS_PASSKEY),

    beginTotp: (headers, password) =>
      inForm(async () => {
        const made = await api.enableTwoFactor({ headers, body: { password, method: 'totp' } });
        if (made.method !== 'totp') throw new ForbiddenError('One-time codes cannot be set up here.');
        return { uri: made.totpURI, recoveryCodes: made.backupCodes };
      }, WRONG_PASSWORD),
    confirmTotp: async (headers, code) => {
      const userId = await userOf(headers);
      const done = await inForm(
        () => api.verifyTOTP({ headers, body: { code: digits(code) }, returnHeaders: true }),
        WRONG_CODE,
      );
      await database.write((tx) => takeCode(tx, userId, digits(code)));
      return done.headers.getSetCookie();
    },
    endTotp: async (headers, password) => {
      const done = await inForm(
        () => api.disableTwoFactor({ headers, body: { password }, returnHeaders: true }),
        WRONG_PASSWORD,
      );
      return done.headers.getSetCookie();
    },

    signInWithCode: (headers, code, isRecovery) =>
      attempt(async () => {
        // A sign-in of before would make this a question about itself.
        const asked = withoutSession(headers);
        const entered = isRecovery
          ? await api.verifyBackupCode({ headers: asked, body: { code: code.trim() }, returnHeaders: true })
          : await api.verifyTOTP({ headers: asked, body: { code: digits(code) }, returnHeaders: true });
        const { token, user } = entered.response;
        const isFirst = isRecovery || (await database.write((tx) => takeCode(tx, user.id, digits(code), token)));
        if (!isFirst) throw new UnauthenticatedError(USED_CODE);
        return enter(headers, user.id, entered.headers);
      }, WRONG_CODE),
  };
}

/** Apps show codes in groups. */
const digits = (code: string) => code.replaceAll(/\D/g, '');

/** A code is right in its own step of 30 seconds, the one before and the one after; ms. */
const CODE_MS = 3 * 30_000;

/**
 * Takes a right code, which works once (RFC 6238).
 * @param token of the sign-in that it opened, which ends where the code was taken before
 * @returns false where it was
 */
async function takeCode(tx: StoreTransaction, userId: string, code: string, token?: string): Promise<boolean> {
  const now = new Date();
  const purpose = 'used-code';
  await tx.delete(verifications).where(and(eq(verifications.identifier, purpose), lt(verifications.expiresAt, now)));
  const taken = await tx
    .insert(verifications)
    .values({
      id: `${purpose}-${hashOf(`${userId} ${code}`)}`,
      identifier: purpose,
      value: '',
      expiresAt: new Date(now.getTime() + CODE_MS),
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

export const SESSION_COOKIE = /session_(token|data)$/;

function withoutSession(headers: Headers): Headers {
  const kept = (headers.get('cookie') ?? '')
    .split('; ')
    .filter((each) => !SESSION_COOKIE.test(each.split('=')[0] ?? ''));
  const copy = new Headers(headers);
  copy.set('cookie', kept.join('; '));
  return copy;
}

/** Drops session cookies: a challenge does not end the browser's sign-in. */
export function onlyChallenges(cookies: Cookies): Cookies {
  return cookies.filter((cookie) => !SESSION_COOKIE.test(cookie.split('=')[0] ?? ''));
}
