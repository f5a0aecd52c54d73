import type { SharedCounters } from '#server/platform/auth/allowance';
import { within } from '#server/core/async';

/**
 * Maximum wait for a bucket in Redis; milliseconds. Then the bucket of this process decides, as with the other rate
 * limits. A choice, not measured.
 */
const REDIS_TIMEOUT_MS = 500;

/** What a caller has left after one request. */
export interface BucketState {
  /** False: no unit was left, and none was taken. */
  readonly isTaken: boolean;
  /** Whole units that are left. */
  readonly remaining: number;
  /** Milliseconds until one more unit is left. */
  readonly refillMs: number;
}

/** How many units a bucket has, and how fast they come back. */
export interface TokenBucketOptions {
  /** Distinguishes buckets in Redis. */
  readonly name: string;
  /** Units of a full bucket. */
  readonly limit: number;
  /** Time in which an empty bucket is full again, evenly; seconds. */
  readonly seconds: number;
  /** Redis in which all instances count together; null: each counts separately. */
  readonly shared: SharedCounters | null;
}

/**
 * Takes one unit of the bucket `KEYS[1]`. ARGV: milliseconds per unit, and for a full bucket. The value is the time at
 * which the bucket is full again, in Redis's own time, because clocks of instances differ. Returns whether a unit was
 * taken, and the microseconds until the bucket is full: Redis rounds numbers down.
 */
const TAKE = `
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local full = math.min(math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now), now + tonumber(ARGV[2]))
local after = full + tonumber(ARGV[1])
local taken = after - now <= tonumber(ARGV[2]) + 0.01
if taken then full = after end
redis.call('set', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return {taken and 1 or 0, (full - now) * 1000}`;

/**
 * A rate limit that refills continuously: a caller who has used everything may go on after the time of one unit, not at
 * the end of a window. Counted in this process or, with Redis, in all instances together; while Redis is unreachable or
 * too slow, each instance counts separately.
 */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  /**
   * Time at which each caller's bucket is full again, epoch milliseconds. Callers are users and API keys, so that there
   * are no more entries than of these.
   */
  readonly #fullAt = new Map<string, number>();

  constructor(options: TokenBucketOptions) {
    this.#options = options;
  }

  /** Takes one unit if one is left. */
  async take(who: string): Promise<BucketState> {
    return (await this.#takeShared(who)) ?? this.#takeOwn(who);
  }

  get #unitMs(): number {
    return this.#capacityMs / this.#options.limit;
  }

  get #capacityMs(): number {
    return this.#options.seconds * 1_000;
  }

  /** Null: Redis gave no answer. */
  async #takeShared(who: string): Promise<BucketState | null> {
    const { shared, name } = this.#options;
    if (!shared?.isReady) return null;
    const call = { keys: [`throughline:${name}:${who}`], arguments: [this.#unitMs, this.#capacityMs].map(String) };
    const reply = await within(
      REDIS_TIMEOUT_MS,
      shared.eval(TAKE, call).catch(() => null),
    );
    if (!Array.isArray(reply)) return null;
    const [taken, micros] = reply.map(Number);
    return this.#stateOf(taken === 1, (micros ?? 0) / 1_000);
  }

  #takeOwn(who: string): BucketState {
    const now = Date.now();
    // At most empty, also after the clock was set back.
    const full = Math.min(Math.max(this.#fullAt.get(who) ?? 0, now), now + this.#capacityMs);
    const after = full + this.#unitMs;
    const isTaken = after - now <= this.#capacityMs + ROUNDING_MS;
    const stored = isTaken ? after : full;
    this.#fullAt.set(who, stored);
    return this.#stateOf(isTaken, stored - now);
  }

  /** @param usedMs milliseconds until the bucket is full */
  #stateOf(isTaken: boolean, usedMs: number): BucketState {
    const units = Math.max(0, this.#capacityMs - usedMs) / this.#unitMs;
    const remaining = Math.floor(units + ROUNDING_MS);
    return { isTaken, remaining, refillMs: Math.max(0, (remaining + 1 - units) * this.#unitMs) };
  }
}

/** Sums of fractions of a millisecond are not exact. */
const ROUNDING_MS = 0.01;
