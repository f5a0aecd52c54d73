import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible';
import { RateLimitedError } from '#server/core/errors';

/** The part of a Redis client that is needed here. */
export interface SharedCounters {
  readonly isReady: boolean;
}

/** Longest wait for a count that several instances share; milliseconds. */
const SHARED_WITHIN_MS = 500;

/** An amount in a time, for each of many callers. */
export interface Allowance {
  /** Takes one away. @throws RateLimitedError when none is left */
  take(who: string): Promise<void>;
  /** One that was taken. */
  giveBack(who: string): Promise<void>;
  /** All of it is there again. */
  restore(who: string): Promise<void>;
}

export interface AllowanceOptions {
  /** Tells allowances from each other where they are counted. */
  readonly name: string;
  readonly most: number;
  /** Length of the window, which begins with the first request. */
  readonly seconds: number;
  /** Message when none is left. */
  readonly message: string;
  /** Redis in which all instances count together; null: each counts for itself. */
  readonly shared: SharedCounters | null;
}

/**
 * Counted in this process or, where there is a Redis, together with all others; while that cannot be reached or takes
 * too long, each counts for itself again: nobody is kept waiting, and nobody is let in without limit.
 */
export function createAllowance({ name, most, seconds, message, shared }: AllowanceOptions): Allowance {
  const own = new RateLimiterMemory({ keyPrefix: name, points: most, duration: seconds });
  const limiter = shared ? countTogether(own, shared) : own;
  return {
    async take(who) {
      try {
        await limiter.consume(who);
      } catch (reason) {
        throw reason instanceof RateLimiterRes ? new RateLimitedError(message, reason.msBeforeNext) : reason;
      }
    },
    async giveBack(who) {
      await limiter.reward(who);
    },
    async restore(who) {
      await limiter.delete(who);
    },
  };
}

function countTogether(own: RateLimiterMemory, storeClient: SharedCounters): RLWrapperTimeouts {
  const { keyPrefix, points, duration } = own;
  const limiter = new RateLimiterRedis({
    storeClient,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
    keyPrefix: `throughline:${keyPrefix}`,
    points,
    duration,
  });
  return new RLWrapperTimeouts({ limiter, timeoutMs: SHARED_WITHIN_MS, insuranceLimiter: own });
}
