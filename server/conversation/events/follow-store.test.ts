import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followStore } from '#server/conversation/events/follow-store';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Follows a store in which nothing happens. */
function follow(isShared: boolean) {
  const listeners: (() => void)[] = [];
  const signals = {
    isShared,
    subscribe: (_topic: string, listener: () => void) => {
      listeners.push(listener);
      return () => {};
    },
  };
  const read = vi.fn(async () => ({ items: [], isLast: false }));
  void followStore({ signals, topic: 'events', read }).getReader().read();
  return { signals, read, notify: () => listeners.forEach((listener) => listener()) };
}

it('an idle reader polls every 2 s without signals of other processes, else every 30 s', async () => {
  const [alone, shared] = [follow(false), follow(true)];
  await vi.advanceTimersByTimeAsync(29_000);
  expect(alone.read).toHaveBeenCalledTimes(15);
  expect(shared.read).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shared.read).toHaveBeenCalledTimes(2);
});

it('a reader polls more often once the signals of other processes are lost', async () => {
  const { signals, read, notify } = follow(true);
  await vi.advanceTimersByTimeAsync(1_000);
  signals.isShared = false;
  notify();
  await vi.advanceTimersByTimeAsync(4_500);
  expect(read).toHaveBeenCalledTimes(4);
});
