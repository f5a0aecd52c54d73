import { expect, it, vi } from 'vitest';
import { orAborted, once, within } from '#server/core/async';

it('once makes a value once for concurrent callers, and tries again after a failure', async () => {
  let made = 0;
  const value = once(async () => {
    made += 1;
    if (made === 1) throw new Error('out of reach');
    return made;
  });
  expect(await Promise.allSettled([value(), value()])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
  expect(made).toBe(1);
  expect(await Promise.all([value(), value()])).toEqual([2, 2]);
  expect(await value()).toBe(2);
});

it('within returns a value or failure in time, and null afterwards', async () => {
  vi.useFakeTimers();
  try {
    expect(await within(10, Promise.resolve('here'))).toBe('here');
    await expect(within(10, Promise.reject(new Error('out of reach')))).rejects.toThrow('out of reach');
    expect(vi.getTimerCount()).toBe(0);
    const late = within(10, new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(10);
    expect(await late).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

it('orAborted returns the reason of an aborted signal, and ignores how the value ends', async () => {
  const value = Promise.withResolvers<never>();
  await expect(orAborted(value.promise, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  // No other code awaits the value: a rejection without a handler would fail the run.
  value.reject(new Error('too late'));
  await new Promise(setImmediate);
});
