import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TokenBucket } from '#server/platform/auth/token-bucket';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const open = () => new TokenBucket({ name: 'test', limit: 2, seconds: 60, shared: null });

describe('a token bucket', () => {
  it('is at most empty after the clock was set back', async () => {
    const bucket = open();
    await bucket.take('a');
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await bucket.take('a')).toMatchObject({ isTaken: false, refillMs: 30_000 });
    vi.advanceTimersByTime(30_000);
    expect((await bucket.take('a')).isTaken).toBe(true);
  });
});
