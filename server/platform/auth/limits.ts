import { tooManyRunning } from '#server/core/messages/coded-errors';
import { createAllowance, type SharedCounters } from '#server/platform/auth/allowance';
import type { Quota } from '#server/core/admin/quota';
import { TokenBucket } from '#server/platform/auth/token-bucket';
import { networkKey, siteKey } from '#server/platform/auth/network-key';
import { createSignInLimits, type SignInLimits } from '#server/platform/auth/sign-in-limits';
import { BodyMemory } from '#server/core/body-memory';
import { RateLimitedError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { Principal } from '#server/core/admin/access-rights';

/*
 * The numbers of this file are choices, not measurements.
 */

/**
 * Rate limit of one address on public routes: generous, because many people share an address, and each picture of a
 * page counts.
 */
const PUBLIC_PER_MINUTE = 6_000;
const MINUTE_SECONDS = 60;

/** Forms that one address may submit, accepted or refused: people correct their input a few times. */
const FORMS_PER_HOUR = 60;
/** Number of these that are stored: a household or a small office shares one address. */
const SUBMISSIONS_PER_HOUR = 10;
/** Limit for all addresses together, so that a flood from many addresses does not cause a flood of mail. */
const ALL_SUBMISSIONS_PER_HOUR = 300;
/** Comments that one address may send: the reviewers of a company share one. */
const SENT_COMMENTS_PER_HOUR = 600;
/** Number of these that are stored. */
const COMMENTS_PER_HOUR = 200;
/** Stored comments of all addresses together; they cause no mail. */
const ALL_COMMENTS_PER_HOUR = 2_000;
const HOUR_SECONDS = 3_600;

/** Programs that one address may register for OAuth: all people of a hosted assistant come from a few addresses. */
const REGISTRATIONS_PER_HOUR = 30;
/** The same for one /48 of IPv6, which has 65,536 of the networks that are counted as one address. */
const SITE_REGISTRATIONS_PER_HOUR = 60;

/** Maximum concurrent bodies from one address on public routes. A body takes milliseconds, unless it is sent slowly. */
const PUBLIC_BODIES = 10;
/** `Retry-After` when too many bodies are being sent; milliseconds. The shortest that the header can express. */
const BODY_RETRY_MS = 1_000;

/**
 * `Retry-After` when too many event streams are open; milliseconds. Longer than that of a body, because a stream stays
 * open until its page is closed.
 */
const STREAM_RETRY_MS = 5_000;

/**
 * Rate limits and limits of concurrent work, for all callers. Each method that counts throws when the limit is reached.
 */
export interface Limits extends SignInLimits, SubmissionLimits, CommentLimits {
  /** Counts a request of an authenticated caller. @throws RateLimitedError */
  request(principal: Principal): Promise<void>;
  /**
   * Counts a request of an authenticated caller to `/v1`, instead of `request` and `turn`. The allowance refills
   * continuously, so that a program that works without a pause is slowed down and not shut out for a minute.
   * @param onCounted receives what is left, also if the request is refused; not called for callers without a limit
   * @throws RateLimitedError
   */
  v1Request(principal: Principal, onCounted: (quota: Quota) => void): Promise<void>;
  /**
   * Counts a request of an anonymous caller.
   * @param onCounted receives what is left, also if the request is refused
   * @throws RateLimitedError
   */
  publicRequest(address: string, onCounted?: (quota: Quota) => void): Promise<void>;
  /**
   * Reserves a slot for a body that an address is about to send to a public route.
   * @returns a function to call once when the body has arrived
   * @throws RateLimitedError if the address is sending too many
   */
  publicBody(address: string): () => void;
  /** Limits the memory for the bodies of all requests of this process. */
  readonly bodies: BodyMemory;
  /** Counts a page that is about to be rendered for a visitor. @throws RateLimitedError */
  page(address: string): Promise<void>;
  /** Counts a form that a visitor submits, whether it is accepted or refused. @throws RateLimitedError */
  form(address: string): Promise<void>;
  /** Counts a program that is about to register for OAuth. @throws RateLimitedError */
  registration(address: string): Promise<void>;
  /**
   * Reserves a slot for an event stream that a user or an API key is about to open on this server.
   * @returns a function to call once when the stream is closed
   * @throws RateLimitedError if the maximum number is already open
   */
  openStream(principal: Principal): () => void;
  /** Counts a turn that is about to start. @throws RateLimitedError */
  turn(principal: Principal): Promise<void>;
  /**
   * Reserves one of a user's slots for concurrent work, for work that is not stored as a turn: a completion of `/v1`, a
   * compaction, a prepared conversation.
   * @returns a function that frees it, once
   * @throws RateLimitedError if all are in use
   */
  reserveSlot(userId: string): Promise<() => void>;
  /** Number of turns that the user may run concurrently, in addition to the slots reserved in this process. */
  turnsLeft(userId: string): number;
}

/** Limits on comments that come through preview links. */
export interface CommentLimits {
  /** Counts a comment that was sent, accepted or refused. @throws RateLimitedError */
  sentComment(address: string): Promise<void>;
  /** Counts a comment that is about to be stored. @throws RateLimitedError */
  comment(address: string): Promise<void>;
}

/** Limits on forms that visitors of a site send. */
export interface SubmissionLimits {
  /** Counts a submission that is about to be stored. @throws RateLimitedError */
  submission(address: string): Promise<void>;
}

/** Limits that an operator configures (`server/platform/config/env.ts`), and what they are counted with. */
interface LimitsDeps {
  readonly requestsPerMinute: number;
  readonly turnsPerMinute: number;
  /** Requests to `/v1` of one key or user. */
  readonly v1PerMinute: number;
  /** Turns and completions that one user may run concurrently. */
  readonly runningTurns: number;
  /** Rendered pages of one address. */
  readonly pagesPerMinute: number;
  /** Event streams that one user may have open on this server. */
  readonly openStreams: number;
  /** Counts a user's running turns in all sessions and all processes. */
  readonly countRunning: (userId: string) => Promise<number>;
  /** Redis in which all instances count together; null: each counts separately. */
  readonly shared: SharedCounters | null;
}

/**
 * A key and its user have separate allowances, so that a program does not block its user in the browser. In local mode,
 * the owner has unlimited requests; only the number of concurrent turns is limited.
 */
export function createLimits(deps: LimitsDeps): Limits {
  const { requestsPerMinute, turnsPerMinute, runningTurns, pagesPerMinute, openStreams, countRunning, shared } = deps;
  const v1Policy = { policy: 'v1', limit: deps.v1PerMinute, seconds: MINUTE_SECONDS };
  const v1 = new TokenBucket({ ...v1Policy, name: v1Policy.policy, shared });
  const perMinute = (name: string, limit: number, what: Counted) =>
    createAllowance({
      name,
      limit,
      seconds: MINUTE_SECONDS,
      shared,
      message: serverText('too-often', { limit, what }),
    });
  const requests = perMinute('requests', requestsPerMinute, 'requests');
  const publicRequests = perMinute('public', PUBLIC_PER_MINUTE, 'requests');
  const pages = perMinute('pages', pagesPerMinute, 'pages');
  const turns = perMinute('turns', turnsPerMinute, 'turns');
  const formsPerHour = (name: string, limit: number) =>
    createAllowance({
      name,
      limit,
      seconds: HOUR_SECONDS,
      shared,
      message: serverText('too-many-forms'),
    });
  const forms = formsPerHour('forms', FORMS_PER_HOUR);
  const sentComments = formsPerHour('sent-comments', SENT_COMMENTS_PER_HOUR);
  const comments = formsPerHour('comments', COMMENTS_PER_HOUR);
  const allComments = formsPerHour('all-comments', ALL_COMMENTS_PER_HOUR);
  const submissions = formsPerHour('submissions', SUBMISSIONS_PER_HOUR);
  const allSubmissions = formsPerHour('all-submissions', ALL_SUBMISSIONS_PER_HOUR);
  const registrationsPerHour = (name: string, limit: number) =>
    createAllowance({
      name,
      limit,
      seconds: HOUR_SECONDS,
      shared,
      message: serverText('too-many-programs'),
    });
  const registrations = registrationsPerHour('oauth-clients', REGISTRATIONS_PER_HOUR);
  const siteRegistrations = registrationsPerHour('oauth-clients-site', SITE_REGISTRATIONS_PER_HOUR);
  const reserved = createSlots();
  const streams = createSlots();
  const publicBodies = createSlots();

  return {
    ...createSignInLimits(shared),
    async request(principal) {
      if (principal.kind !== 'local') await requests.take(allowanceKey(principal));
    },
    async v1Request(principal, onCounted) {
      if (principal.kind === 'local') return;
      const { isTaken, remaining, refillMs } = await v1.take(allowanceKey(principal));
      onCounted({ ...v1Policy, remaining, refillMs });
      if (!isTaken)
        throw new RateLimitedError(
          serverText('too-often', { limit: v1Policy.limit, what: 'v1' satisfies Counted }),
          refillMs,
        );
    },
    async publicRequest(address, onCounted) {
      const policy = { policy: 'address', limit: PUBLIC_PER_MINUTE, seconds: MINUTE_SECONDS };
      try {
        const { remaining, resetMs } = await publicRequests.take(networkKey(address));
        onCounted?.({ ...policy, remaining, refillMs: resetMs });
      } catch (error) {
        if (error instanceof RateLimitedError)
          onCounted?.({ ...policy, remaining: 0, refillMs: error.retryAfterSeconds * 1_000 });
        throw error;
      }
    },
    publicBody(address) {
      const sender = networkKey(address);
      if (publicBodies.taken(sender) >= PUBLIC_BODIES)
        throw new RateLimitedError(serverText('network-busy'), BODY_RETRY_MS);
      return publicBodies.take(sender);
    },
    bodies: new BodyMemory(),
    page: async (address) => void (await pages.take(networkKey(address))),
    async registration(address) {
      await registrations.take(networkKey(address));
      const site = siteKey(address);
      if (site !== null) await siteRegistrations.take(site);
    },
    form: async (address) => void (await forms.take(networkKey(address))),
    sentComment: async (address) => void (await sentComments.take(networkKey(address))),
    async comment(address) {
      await comments.take(networkKey(address));
      await allComments.take('all');
    },
    async submission(address) {
      await submissions.take(networkKey(address));
      await allSubmissions.take('all');
    },
    openStream(principal) {
      if (principal.kind === 'local') return () => undefined;
      // Counts all keys of a user together: with a key for each stream there would be no limit.
      const owner = `${principal.kind} ${principal.userId}`;
      if (streams.taken(owner) >= openStreams) throw tooManyOpen(openStreams);
      return streams.take(owner);
    },
    async turn(principal) {
      if (principal.kind !== 'local') await turns.take(allowanceKey(principal));
    },
    async reserveSlot(userId) {
      // Before any await: two concurrent calls must not both get the last slot.
      const release = reserved.take(userId);
      try {
        if (reserved.taken(userId) + (await countRunning(userId)) > runningTurns) throw tooManyRunning(runningTurns);
      } catch (error) {
        release();
        throw error;
      }
      return release;
    },
    turnsLeft: (userId) => runningTurns - reserved.taken(userId),
  };
}

/** Counts what each caller has in progress in this process. */
function createSlots() {
  const counts = new Map<string, number>();
  const taken = (who: string) => counts.get(who) ?? 0;
  return {
    taken,
    /** @returns a function that frees the slot, once */
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

function tooManyOpen(limit: number): RateLimitedError {
  return new RateLimitedError(serverText('too-many-streams', { count: limit }), STREAM_RETRY_MS);
}

/** What a limit per minute counts; the message of its refusal chooses by it. */
type Counted = 'requests' | 'pages' | 'turns' | 'v1';

function allowanceKey({ keyId, userId }: Principal): string {
  return keyId ?? userId;
}
