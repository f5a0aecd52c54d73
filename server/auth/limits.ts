import { createAllowance, type SharedCounters } from '#server/auth/allowance';
import ipaddr from 'ipaddr.js';
import { RateLimitedError, tooManyRunning } from '#server/core/errors';
import type { Principal } from '#server/core/access-rights';

/** Limit of one address on public routes: generous, as many people and the pictures of a page share one. */
const PUBLIC_PER_MINUTE = 6_000;
const MINUTE_SECONDS = 60;
const FAILED_SIGN_INS = 10;
const FAILED_SIGN_IN_SECONDS = 15 * 60;
/** Links that are mailed because somebody says to have forgotten a password: enough for who really has. */
const LINKS = 5;
const LINK_SECONDS = 60 * 60;

/** Forms that one address may send, taken or not: people correct what they wrote a few times. */
const FORMS_PER_HOUR = 60;
/** Number kept of those: a household or a small office shares one address. */
const SUBMISSIONS_PER_HOUR = 10;
/** Limit for all addresses: a flood from many is no flood of mail. */
const ALL_SUBMISSIONS_PER_HOUR = 300;
const HOUR_SECONDS = 3_600;

/** Wait until one of too many streams may be closed; milliseconds. */
const STREAM_RETRY_MS = 5_000;

/** Address that tries to sign in, and the account it tries. */
export interface Attempt {
  readonly address: string;
  readonly email: string;
}

/** Limits on everybody's use. */
export interface Limits {
  /** One request of somebody we know. @throws RateLimitedError */
  request(principal: Principal): Promise<void>;
  /** One request of somebody nobody asked for. @throws RateLimitedError */
  publicRequest(address: string): Promise<void>;
  /** A page that has to be rendered for a visitor. @throws RateLimitedError */
  page(address: string): Promise<void>;
  /** A form of the site that a visitor sends, whatever becomes of it. @throws RateLimitedError */
  form(address: string): Promise<void>;
  /** One that is about to be kept. @throws RateLimitedError */
  submission(address: string): Promise<void>;
  /**
   * An event stream that a user or an API key is about to follow on this server.
   * @returns says that it is closed, once
   * @throws RateLimitedError when as many are open already
   */
  openStream(principal: Principal): () => void;
  /** A turn or a completion that is about to start. @throws RateLimitedError */
  turn(principal: Principal): Promise<void>;
  /** Attempts to sign in; the right password lets nobody in who has failed too often. */
  readonly attempts: {
    /** Before the password is looked at: of many that come together, no more are let through. @throws RateLimitedError */
    take(attempt: Attempt): Promise<void>;
    /** Records that an attempt was no failure: the count of the e-mail begins anew, the address has this one back. */
    succeeded(attempt: Attempt): Promise<void>;
  };
  /** A link for a forgotten password that is asked for; counted for the e-mail and for the address. @throws RateLimitedError */
  forgotten(attempt: Attempt): Promise<void>;
  /**
   * Takes a place among the turns and completions of a user that run at once, for one that no store knows of.
   * @returns gives it back, once
   * @throws RateLimitedError when all are taken
   */
  enter(userId: string): Promise<() => void>;
  /** Number of turns the user may run at once, besides the completions that run here. */
  turnsLeft(userId: string): number;
}

export interface LimitsDeps {
  readonly requestsPerMinute: number;
  readonly turnsPerMinute: number;
  readonly runningTurns: number;
  readonly pagesPerMinute: number;
  readonly openStreams: number;
  /** Counts a user's running turns in all his sessions and all processes. */
  readonly countRunning: (userId: string) => Promise<number>;
  /** Redis in which all instances count together; null: each counts for itself. */
  readonly shared: SharedCounters | null;
}

/**
 * A key and a user each have an allowance of their own: what a program does keeps nobody from the browser. Whoever sits
 * at this machine in local mode may ask for as much as he likes; how many turns run at once is limited for him, too.
 */
export function createLimits(deps: LimitsDeps): Limits {
  const { requestsPerMinute, turnsPerMinute, runningTurns, pagesPerMinute, openStreams, countRunning, shared } = deps;
  const perMinute = (name: string, most: number, what: string) =>
    createAllowance({
      name,
      most,
      seconds: MINUTE_SECONDS,
      shared,
      message: `More than ${most.toLocaleString('en-US')} ${what} a minute. Try again a little later.`,
    });
  const requests = perMinute('requests', requestsPerMinute, 'requests');
  const publicRequests = perMinute('public', PUBLIC_PER_MINUTE, 'requests');
  const pages = perMinute('pages', pagesPerMinute, 'pages');
  const turns = perMinute('turns', turnsPerMinute, 'turns');
  const failures = createAllowance({
    name: 'sign-ins',
    most: FAILED_SIGN_INS,
    seconds: FAILED_SIGN_IN_SECONDS,
    shared,
    message: 'Too many attempts to sign in failed. Try again later.',
  });
  const links = createAllowance({
    name: 'links',
    most: LINKS,
    seconds: LINK_SECONDS,
    shared,
    message: 'Links were asked for too often. Look into your mail, or try again in an hour.',
  });
  const perHour = (name: string, most: number) =>
    createAllowance({
      name,
      most,
      seconds: HOUR_SECONDS,
      shared,
      message: 'Very many messages were sent from your network. Wait an hour, then send yours again.',
    });
  const forms = perHour('forms', FORMS_PER_HOUR);
  const submissions = perHour('submissions', SUBMISSIONS_PER_HOUR);
  const allSubmissions = perHour('all-submissions', ALL_SUBMISSIONS_PER_HOUR);
  const completions = createPlaces();
  const streams = createPlaces();

  return {
    request: async (principal) => (principal.kind === 'local' ? undefined : requests.take(holder(principal))),
    publicRequest: (address) => publicRequests.take(network(address)),
    page: (address) => pages.take(network(address)),
    form: (address) => forms.take(network(address)),
    async submission(address) {
      await submissions.take(network(address));
      await allSubmissions.take('all');
    },
    openStream(principal) {
      if (principal.kind === 'local') return () => undefined;
      // All keys of a user together: with a key for each stream there would be no limit.
      const owner = `${principal.kind} ${principal.userId}`;
      if (streams.taken(owner) >= openStreams) throw tooManyOpen(openStreams);
      return streams.take(owner);
    },
    turn: async (principal) => (principal.kind === 'local' ? undefined : turns.take(holder(principal))),
    attempts: {
      async take(attempt) {
        const { address, email } = namesOf(attempt);
        await failures.take(address);
        await failures.take(email);
      },
      async succeeded(attempt) {
        const { address, email } = namesOf(attempt);
        await Promise.all([failures.giveBack(address), failures.restore(email)]);
      },
    },
    async forgotten(attempt) {
      const { address, email } = namesOf(attempt);
      await links.take(address);
      await links.take(email);
    },
    async enter(userId) {
      // Before anything is awaited: two that come together do not both get the last place.
      const leave = completions.take(userId);
      try {
        if (completions.taken(userId) + (await countRunning(userId)) > runningTurns) throw tooManyRunning(runningTurns);
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
    turnsLeft: (userId) => runningTurns - completions.taken(userId),
  };
}

/** Counts what each user or API key has under way in this process. */
function createPlaces() {
  const counts = new Map<string, number>();
  const taken = (who: string) => counts.get(who) ?? 0;
  return {
    taken,
    /** Gives back what it took, once. */
    take(who: string): () => void {
      counts.set(who, taken(who) + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        const left = taken(who) - 1;
        if (left > 0) counts.set(who, left);
        else counts.delete(who);
      };
    },
  };
}

function tooManyOpen(most: number): RateLimitedError {
  const open = most === 1 ? 'An event stream is' : `${most.toLocaleString('en-US')} event streams are`;
  return new RateLimitedError(`${open} open already. Close a tab or a program that follows one.`, STREAM_RETRY_MS);
}

function holder({ keyId, userId }: Principal): string {
  return keyId ?? userId;
}

function namesOf({ address, email }: Attempt): { address: string; email: string } {
  return { address: `address ${network(address)}`, email: `email ${email.trim().toLowerCase().slice(0, 254)}` };
}

/** Name under which an address is counted: of IPv6 its /64, as one customer of a provider has 2^64 addresses at least. */
function network(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}
