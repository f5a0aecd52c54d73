import { describe, expect, it } from 'vitest';
import { createLimits } from '#server/platform/auth/limits';
import { RateLimitedError } from '#server/core/errors';
import type { Principal } from '#server/core/admin/access-rights';
import { connectToRedis } from '#server/platform/signals/redis-client';
import { startRedis } from '#tests/peers/support/redis-server';
import { holdTimers } from '#tests/support/held-timers';

const redisProgram = process.env['REDIS_SERVER'];
const key: Principal = { kind: 'key', userId: 'usr_1', name: 'Key', scopes: ['chat'], keyId: 'key_1', sites: null };

async function instance(url: string) {
  const client = await connectToRedis(url);
  const limits = createLimits({
    requestsPerMinute: 3,
    turnsPerMinute: 3,
    v1PerMinute: 3,
    pagesPerMinute: 100,
    openStreams: 100,
    runningTurns: 3,
    countRunning: async () => 0,
    shared: client,
  });
  return { client, limits };
}

describe.skipIf(redisProgram === undefined)('limits of several instances', () => {
  it('are counted together, and apart again while Redis is gone', async () => {
    // Each would count for itself where the other takes long.
    holdTimers(500);
    await using redis = await startRedis(redisProgram!);
    const [one, two] = [await instance(redis.url), await instance(redis.url)];
    try {
      await expect.poll(() => one.client.isReady && two.client.isReady).toBe(true);
      await one.limits.request(key);
      await two.limits.request(key);
      await one.limits.request(key);
      const refused = await two.limits.request(key).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(RateLimitedError);
      expect((refused as RateLimitedError).retryAfterSeconds).toBeLessThanOrEqual(60);

      const left: number[] = [];
      const count = ({ limits }: typeof one) => limits.v1Request(key, ({ remaining }) => left.push(remaining));
      for (const each of [one, two, one]) await count(each);
      await expect(count(two)).rejects.toBeInstanceOf(RateLimitedError);
      expect(left).toEqual([2, 1, 0, 0]);

      const attempt = { address: '203.0.113.5', email: 'ada@site.test' };
      for (let tried = 0; tried < 10; tried++) await (tried % 2 ? one : two).limits.attempts.take(attempt);
      await expect(one.limits.attempts.take(attempt)).rejects.toBeInstanceOf(RateLimitedError);
      await one.limits.attempts.succeeded(attempt);
      await two.limits.attempts.take({ ...attempt, address: '203.0.113.6' });

      await redis[Symbol.asyncDispose]();
      await expect.poll(() => one.client.isReady).toBe(false);
      for (let made = 0; made < 3; made++) await one.limits.request(key);
      await expect(one.limits.request(key)).rejects.toBeInstanceOf(RateLimitedError);
    } finally {
      one.client.destroy();
      two.client.destroy();
    }
  });
});
