import type { ServerText } from '#server/core/coded-message';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, RLWrapperTimeouts } from 'rate-limiter-flexible';
import { RateLimitedError } from '#server/core/errors';

/** A Redis client in which all instances count. */
export interface SharedCounters {
  /** False while it is not connected. */
  readonly isReady: boolean;
  /** Runs a Lua script. */
  eval(script: string, call: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/**
 * Maximum wait for a counter in Redis; milliseconds. Then the counter of this process decides: every request waits for
 * it, and Redis normally answers within a few milliseconds. A choice, not measured.
 */
const REDIS_TIMEOUT_MS = 500;

/** What is left of an allowance. */
export interface AllowanceState {
  readonly remaining: number;
  /** Milliseconds until the window ends and all is allowed again. */
  readonly resetMs: number;
}

/** A rate limit: each caller may use a number of units within a time window. Callers are named by any text (`who`). */
export interface Allowance {
  /** Uses one unit. @throws RateLimitedError if none is left */
  take(who: string): Promise<AllowanceState>;
  /** Returns one used unit: the attempt does not count. */
  refund(who: string): Promise<void>;
  /** Forgets everything that a caller has used. */
  reset(who: string): Promise<void>;
}

/** How much is allowed, and in what time. */
export interface AllowanceOptions {
  /** Distinguishes allowances in the shared counters. */
  readonly name: string;
  /** Number of units in a window. */
  readonly limit: number;
  /** Length of the window, which starts with the first used unit. */
  readonly seconds: number;
  /** Message of the error when no unit is left. */
  readonly message: ServerText;
  /** Redis in which all instances count together; null: each counts separately. */
  readonly shared: SharedCounters | null;
}

/**
 * Creates a rate limit that is counted in this process or, with Redis, in all instances together. While Redis is
 * unreachable or too slow, each instance counts separately: requests are neither delayed nor unlimited.
 */
export function createAllowance({ name, limit, seconds, message, shared }: AllowanceOptions): Allowance {
  const own = new RateLimiterMemory({ keyPrefix: name, points: limit, duration: seconds });
  const limiter = shared ? countTogether(own, shared) : own;
  return {
    async take(who) {
      try {
        const { remainingPoints, msBeforeNext } = await limiter.consume(who);
        return { remaining: remainingPoints, resetMs: msBeforeNext };
      } catch (reason) {
        throw reason instanceof RateLimiterRes ? new RateLimitedError(message, reason.msBeforeNext) : reason;
      }
    },
    async refund(who) {
      await limiter.reward(who);
    },
    async reset(who) {
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
  return new RLWrapperTimeouts({ limiter, timeoutMs: REDIS_TIMEOUT_MS, insuranceLimiter: own });
}
