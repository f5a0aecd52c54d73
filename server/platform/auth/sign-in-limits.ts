import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { createAllowance, type SharedCounters } from '#server/platform/auth/allowance';
import { networkKey } from '#server/platform/auth/network-key';
import { RateLimitedError } from '#server/core/errors';

/*
 * Failed sign-ins have several limits. The narrow one stops guessing the password of one account; the wide ones stop
 * guessing of many accounts, or from many addresses. The numbers are choices, not measurements.
 */

/** Wrong passwords for one account from one address, or from one known browser, in a quarter of an hour. */
const FAILED_SIGN_INS = 10;
/** Wrong passwords from one address for any account: an office shares one address. */
const FAILED_SIGN_INS_OF_ADDRESS = 50;
const FAILED_SIGN_IN_SECONDS = 15 * 60;
/** Wrong passwords for one account from all unknown browsers together, in an hour. */
const FAILED_SIGN_INS_OF_ACCOUNT = 100;
/** Requests for a password link, for one account from one address or one known browser, in an hour. */
const LINKS = 5;
/** Requests for a password link from one address for any account, in an hour. */
const LINKS_OF_ADDRESS = 30;
/** Links mailed to one account at the request of unknown browsers, in an hour: its mailbox must not be flooded. */
const LINKS_OF_ACCOUNT = 30;
const HOUR_SECONDS = 3_600;

/** Maximum characters of an email address (RFC 5321); the rest of a longer text does not distinguish accounts. */
const MAX_EMAIL = 254;

/** An attempt to sign in to an account. */
export interface Attempt {
  readonly address: string;
  /** The account that is tried. */
  readonly email: string;
  /** The method if it is not the password, for example `passkey`: each is counted separately. */
  readonly method?: string;
  /** Id of a browser that is known for this account (device cookie, sign-in): counted separately. Null: unknown. */
  readonly browser?: string | null | undefined;
}

/**
 * An attempt with a one-time code or a passkey that belongs to no account: no password was entered before, or the
 * passkey is unknown. It fails in any case, and is counted only against others of its kind.
 */
export interface UnknownAttempt {
  readonly address: string;
  readonly method: string;
  readonly email: null;
}

/** An attempt with a code that belongs to the server, not to an account. */
export interface AnonymousAttempt {
  readonly address: string;
  /** For example `owner code`: each is counted separately. */
  readonly method: string;
}

type AnyAttempt = Attempt | UnknownAttempt | AnonymousAttempt;

/** Limits of attempts to sign in, and of requests for password links. */
export interface SignInLimits {
  /**
   * Attempts to sign in. Wrong passwords are counted for account and address together, for the address, and for the
   * account; wrong codes and passkeys for account and address together. A browser known for the account is counted
   * separately, so that strangers cannot block it.
   */
  readonly attempts: {
    /** Called before the password is checked, so that parallel attempts are counted too. @throws RateLimitedError */
    take(attempt: AnyAttempt): Promise<void>;
    /**
     * Records that the attempt succeeded. It is not counted, and earlier failures of the account from this address or
     * known browser are forgotten. For an attempt without an account, only its own count is undone.
     */
    succeeded(attempt: AnyAttempt): Promise<void>;
    /**
     * Forgets the failures of an account whose password was replaced with a link, and those of this address for the
     * account.
     */
    forget(attempt: Attempt): Promise<void>;
  };
  /**
   * Counts a request for a password link.
   * @returns false if no further link may be mailed to this account for now; links mailed in the last hour still work
   * @throws RateLimitedError for too many requests from one address or one known browser
   */
  passwordLink(attempt: Attempt): Promise<boolean>;
  /** Undoes the count of `passwordLink`, because the link could not be mailed for the moment. */
  linkNotMailed(attempt: Attempt): Promise<void>;
}

/**
 * Creates the limits of sign-ins and password links.
 * @param shared Redis in which all instances count together; null: each counts separately
 */
export function createSignInLimits(shared: SharedCounters | null): SignInLimits {
  const allowance = (name: string, limit: number, seconds: number, message: ServerText) =>
    createAllowance({ name, limit, seconds, shared, message });
  const tooManyFailed = serverText('sign-ins-failed');
  const failures = allowance('sign-ins', FAILED_SIGN_INS, FAILED_SIGN_IN_SECONDS, tooManyFailed);
  const failuresOfAddress = allowance(
    'sign-ins-address',
    FAILED_SIGN_INS_OF_ADDRESS,
    FAILED_SIGN_IN_SECONDS,
    tooManyFailed,
  );
  const failuresOfAccount = allowance(
    'sign-ins-account',
    FAILED_SIGN_INS_OF_ACCOUNT,
    HOUR_SECONDS,
    serverText('sign-ins-failed-for-account'),
  );
  const linksPerHour = (name: string, limit: number) =>
    allowance(name, limit, HOUR_SECONDS, serverText('too-many-links'));
  const links = linksPerHour('links', LINKS);
  const linksOfAddress = linksPerHour('links-address', LINKS_OF_ADDRESS);
  const linksOfAccount = linksPerHour('links-account', LINKS_OF_ACCOUNT);

  return {
    attempts: {
      async take(attempt) {
        // A code of the server has one owner: the narrow limit suffices. An unknown passkey may be anybody's in an
        // office that shares an address: one person's failures must not block the others, so the wide limit applies.
        if (!('email' in attempt)) {
          await failures.take(anonymousKey(attempt));
          return;
        }
        if (attempt.email === null) {
          await failuresOfAddress.take(anonymousKey(attempt));
          return;
        }
        const keys = keysOf(attempt);
        await failures.take(keys.narrow);
        if (keys.isKnown || isSecondStep(attempt)) return;
        await failuresOfAddress.take(keys.address);
        await failuresOfAccount.take(keys.account);
      },
      async succeeded(attempt) {
        if (!('email' in attempt)) return failures.refund(anonymousKey(attempt));
        if (attempt.email === null) return failuresOfAddress.refund(anonymousKey(attempt));
        const keys = keysOf(attempt);
        await failures.reset(keys.narrow);
        if (keys.isKnown || isSecondStep(attempt)) return;
        await Promise.all([failuresOfAddress.refund(keys.address), failuresOfAccount.refund(keys.account)]);
      },
      async forget(attempt) {
        const { account, narrow } = keysOf(attempt);
        await Promise.all([failures.reset(narrow), failuresOfAccount.reset(account)]);
      },
    },
    async passwordLink(attempt) {
      const keys = keysOf(attempt);
      await links.take(keys.narrow);
      if (keys.isKnown) return true;
      await linksOfAddress.take(keys.address);
      try {
        await linksOfAccount.take(keys.account);
        return true;
      } catch (error) {
        if (error instanceof RateLimitedError) return false;
        throw error;
      }
    },
    async linkNotMailed(attempt) {
      const keys = keysOf(attempt);
      await links.refund(keys.narrow);
      if (keys.isKnown) return;
      await Promise.all([linksOfAddress.refund(keys.address), linksOfAccount.refund(keys.account)]);
    },
  };
}

/**
 * True for a code after the correct password, and for a passkey that exists: strangers cannot send these, so only the
 * narrow limit counts them.
 */
function isSecondStep({ method }: Attempt): boolean {
  return method !== undefined;
}

/**
 * Keys under which an attempt is counted. `narrow`: the account together with the address, or with the known browser.
 */
function keysOf({ address, email, method, browser = null }: Attempt) {
  const account = email.trim().toLowerCase().slice(0, MAX_EMAIL);
  const place = browser === null ? `from ${networkKey(address)}` : `in ${browser}`;
  const narrow = `${method === undefined ? '' : `${method} of `}${account} ${place}`;
  return { narrow, address: networkKey(address), account, isKnown: browser !== null };
}

function anonymousKey({ address, method }: AnonymousAttempt): string {
  return `${method} from ${networkKey(address)}`;
}
