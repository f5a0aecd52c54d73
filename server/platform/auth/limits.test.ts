import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLimits } from '#server/platform/auth/limits';
import { RateLimitedError } from '#server/core/errors';
import { type Principal, scopesOfRole } from '#server/core/admin/access-rights';

const key = (keyId: string): Principal => ({
  kind: 'key',
  userId: 'usr_1',
  name: 'Key',
  scopes: ['chat'],
  keyId,
  sites: null,
});
const owner = { kind: 'local', userId: 'own_local', name: 'Owner', scopes: scopesOfRole.admin } as const;
const local: Principal = { ...owner, keyId: null, sites: null };
const user: Principal = { kind: 'user', userId: 'usr_1', name: 'Ada', scopes: ['chat'], keyId: null, sites: null };

const limitsOf = (changes = {}) =>
  createLimits({
    requestsPerMinute: 3,
    turnsPerMinute: 2,
    v1PerMinute: 2,
    runningTurns: 2,
    openStreams: 2,
    pagesPerMinute: 3,
    countRunning: async () => 0,
    shared: null,
    ...changes,
  });

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done++) await work();
}

const retryAfter = (work: Promise<unknown>): Promise<number> =>
  work.then(
    () => expect.fail('It was let through.'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(RateLimitedError);
      return (error as RateLimitedError).retryAfterSeconds;
    },
  );

beforeEach(() => void vi.useFakeTimers());

afterEach(() => vi.useRealTimers());

describe('limits', () => {
  it('count registrations of one /48 of IPv6 together, in addition to each address', async () => {
    const limits = limitsOf();
    const from = (network: number) => limits.registration(`2001:db8:1:${network}::1`);
    await times(30, () => from(1));
    await expect(from(1)).rejects.toThrow(RateLimitedError);
    await times(30, () => from(2));
    await expect(from(3)).rejects.toThrow(RateLimitedError);
    await limits.registration('2001:db8:2:3::1');
    await times(30, () => limits.registration('203.0.113.1'));
    await times(30, () => limits.registration('203.0.113.2'));
    await limits.registration('203.0.113.3');
  });

  it('are for each key and each user apart, and for a minute', async () => {
    const limits = limitsOf();
    await times(3, () => limits.request(key('key_1')));
    vi.advanceTimersByTime(20_000);
    expect(await retryAfter(limits.request(key('key_1')))).toBe(40);
    await times(3, () => limits.request(key('key_2')));
    await times(3, () => limits.request(user));
    vi.advanceTimersByTime(40_000);
    await limits.request(key('key_1'));
  });

  it('do not limit users of the machine itself', async () => {
    const limits = limitsOf();
    await times(10, () => limits.v1Request(local, () => expect.fail('Nothing is counted.')));
    await times(10, () => limits.request(local));
    await times(10, () => limits.turn(local));
  });

  it('of /v1 refill evenly, count neither as requests nor as turns, and say what is left', async () => {
    const limits = limitsOf({ v1PerMinute: 60 });
    const left: number[] = [];
    const ask = () => limits.v1Request(key('key_1'), ({ remaining }) => left.push(remaining));
    await times(60, ask);
    expect(left).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));
    expect(await retryAfter(ask())).toBe(1);
    expect(left.at(-1)).toBe(0);
    await limits.v1Request(key('key_2'), () => undefined);
    vi.advanceTimersByTime(2_500);
    await times(2, ask);
    expect(await retryAfter(ask())).toBe(1);
    await limits.request(key('key_1'));
    await limits.turn(key('key_1'));
    vi.advanceTimersByTime(600_000);
    await times(60, ask);
    await retryAfter(ask());
  });

  it('count strangers by address, and a network of IPv6 addresses as one', async () => {
    const limits = limitsOf();
    await times(6_000, () => limits.publicRequest('203.0.113.5'));
    await retryAfter(limits.publicRequest('203.0.113.5'));
    await retryAfter(limits.publicRequest('::ffff:203.0.113.5'));
    const left: number[] = [];
    await retryAfter(limits.publicRequest('203.0.113.5', ({ remaining }) => left.push(remaining)));
    await limits.publicRequest('203.0.113.7', ({ remaining }) => left.push(remaining));
    expect(left).toEqual([0, 5_999]);
    await limits.publicRequest('203.0.113.6');
    await times(6_000, () => limits.publicRequest('2001:db8:1:2::1'));
    await retryAfter(limits.publicRequest('2001:db8:1:2:3:4:5:6'));
    await limits.publicRequest('2001:db8:1:3::1');
  });
});

describe('attempts to sign in', () => {
  const attempt = (address: string, email: string, browser?: string) => ({ address, email, browser });
  /** Wrong passwords for one account, ten from each of so many addresses. */
  const strangers = async ({ attempts }: ReturnType<typeof limitsOf>, addresses: number, email: string) => {
    for (let at = 0; at < addresses; at++) await times(10, () => attempts.take(attempt(`198.51.100.${at}`, email)));
  };

  it('end after ten failures for one account from one address, and only there', async () => {
    const { attempts } = limitsOf();
    for (let tried = 0; tried < 10; tried++)
      await attempts.take(attempt('203.0.113.5', tried % 2 ? 'ada@site.test' : ' Ada@Site.test'));
    expect(await retryAfter(attempts.take(attempt('203.0.113.5', 'ada@site.test')))).toBe(900);
    await attempts.take(attempt('203.0.113.5', 'eve@site.test'));
    await attempts.take(attempt('203.0.113.6', 'ada@site.test'));
    vi.advanceTimersByTime(900_000);
    await attempts.take(attempt('203.0.113.5', 'ada@site.test'));
  });

  it('end after fifty failures of one address, for any accounts', async () => {
    const { attempts } = limitsOf();
    for (let tried = 0; tried < 50; tried++) await attempts.take(attempt('203.0.113.5', `${tried}@site.test`));
    expect(await retryAfter(attempts.take(attempt('203.0.113.5', 'ada@site.test')))).toBe(900);
    await attempts.take(attempt('203.0.113.6', 'ada@site.test'));
  });

  it('end after a hundred failures an hour for one account, except in a browser known for it', async () => {
    const limits = limitsOf();
    const { attempts } = limits;
    await strangers(limits, 10, 'ada@site.test');
    expect(await retryAfter(attempts.take(attempt('203.0.113.5', 'ada@site.test')))).toBe(3_600);
    await times(10, () => attempts.take(attempt('203.0.113.5', 'ada@site.test', 'device_1')));
    await retryAfter(attempts.take(attempt('203.0.113.6', 'ada@site.test', 'device_1')));
    await attempts.take(attempt('203.0.113.5', 'ada@site.test', 'device_2'));
  });

  it('of a known browser, and with a passkey, are not blocked by others at the same address', async () => {
    const { attempts } = limitsOf();
    for (let tried = 0; tried < 50; tried++) await attempts.take(attempt('203.0.113.5', `${tried}@site.test`));
    await attempts.take(attempt('203.0.113.5', 'ada@site.test', 'device_1'));
    await attempts.take({ address: '203.0.113.5', method: 'passkey', email: null });
  });

  it('with a code are counted per account and address, or per known browser', async () => {
    const { attempts } = limitsOf();
    const code = (address: string, email: string, browser?: string) => ({
      ...attempt(address, email, browser),
      method: 'code',
    });
    await times(10, () => attempts.take(code('203.0.113.5', 'ada@site.test')));
    expect(await retryAfter(attempts.take(code('203.0.113.5', 'ada@site.test')))).toBe(900);
    await attempts.succeeded(attempt('203.0.113.5', 'ada@site.test'));
    await retryAfter(attempts.take(code('203.0.113.5', 'ada@site.test')));
    await attempts.take(code('203.0.113.5', 'ada@site.test', 'device_1'));
    await attempts.take(code('203.0.113.6', 'ada@site.test'));
    await attempts.take(code('203.0.113.5', 'eve@site.test'));
    await times(50, () => attempts.take({ address: '203.0.113.5', method: 'code', email: null }));
    await retryAfter(attempts.take({ address: '203.0.113.5', method: 'code', email: null }));
    await attempts.take(attempt('203.0.113.5', 'ada@site.test'));
  });

  it('end also for those that come together', async () => {
    const { attempts } = limitsOf();
    const all = Array.from({ length: 50 }, () => attempts.take(attempt('203.0.113.5', 'ada@site.test')));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  });

  it('start again after the right password; failures of other addresses still count', async () => {
    const limits = limitsOf();
    const { attempts } = limits;
    await strangers(limits, 9, 'ada@site.test');
    await times(10, () => attempts.take(attempt('203.0.113.5', 'ada@site.test')));
    await attempts.succeeded(attempt('203.0.113.5', 'ada@site.test'));
    await attempts.take(attempt('203.0.113.5', 'ada@site.test'));
    await retryAfter(attempts.take(attempt('203.0.113.6', 'ada@site.test')));
  });

  it('that succeed are never used up', async () => {
    const { attempts } = limitsOf();
    for (const each of [attempt('203.0.113.5', 'ada@site.test'), { address: '203.0.113.5', method: 'owner code' }])
      await times(200, async () => {
        await attempts.take(each);
        await attempts.succeeded(each);
      });
  });
});

describe('concurrent work', () => {
  it('is counted over turns and completions', async () => {
    const limits = limitsOf({ countRunning: async () => 1 });
    const leave = await limits.reserveSlot('usr_1');
    expect(limits.turnsLeft('usr_1')).toBe(1);
    await retryAfter(limits.reserveSlot('usr_1'));
    await limits.reserveSlot('usr_2');
    leave();
    leave();
    expect(limits.turnsLeft('usr_1')).toBe(2);
    await limits.reserveSlot('usr_1');
  });

  it('lets as many in as there are places of those that come together', async () => {
    const limits = limitsOf();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => limits.reserveSlot('usr_1')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBe(2);
  });

  it('gives the place back when the store fails', async () => {
    const limits = limitsOf({ countRunning: () => Promise.reject(new Error('busy')) });
    await expect(limits.reserveSlot('usr_1')).rejects.toThrow('busy');
    expect(limits.turnsLeft('usr_1')).toBe(2);
  });
});

describe('limits that instances share', () => {
  it('are separate per instance while the shared store is unreachable', async () => {
    const limits = limitsOf({ shared: { isReady: false, eval: () => expect.fail('It is not connected.') } });
    await times(3, () => limits.request(user));
    await retryAfter(limits.request(user));
  });

  it('do not wait for an instance that hangs', async () => {
    vi.useRealTimers();
    const hanging = { isReady: true, eval: () => new Promise(() => undefined) };
    const limits = limitsOf({ shared: hanging });
    await limits.request(user);
    await limits.v1Request(user, () => undefined);
  });
});

it('limits mailed password links per mailbox, except from a browser known for it', async () => {
  const limits = limitsOf();
  const asked = { email: 'ada@site.test', address: '203.0.113.5' };
  for (let at = 0; at < 40; at++) {
    expect(await limits.passwordLink(asked)).toBe(true);
    await limits.linkNotMailed(asked);
  }
  for (let at = 0; at < 30; at++)
    expect(await limits.passwordLink({ ...asked, address: `198.51.100.${at}` })).toBe(true);
  expect(await limits.passwordLink(asked)).toBe(false);
  expect(await limits.passwordLink({ ...asked, browser: 'device_1' })).toBe(true);
});

it('counts the pages of one IPv6 network together', async () => {
  const limits = limitsOf();
  await times(3, () => limits.page('2001:db8::1'));
  expect(await retryAfter(limits.page('2001:db8::2'))).toBe(60);
  await limits.page('2001:db8:0:1::1');
});
