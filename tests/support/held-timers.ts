import { vi } from 'vitest';

/**
 * Timers of these durations (milliseconds) run out when the test says it, and never by themselves; all others are
 * unchanged. Undone by `vi.restoreAllMocks`.
 */
export function holdTimers(...durations: readonly number[]): { runOut(ms: number): Promise<void> } {
  const real = globalThis.setTimeout;
  const held = new Map(durations.map((ms) => [ms, Promise.withResolvers<() => void>()]));
  const replacement = (callback: () => void, ms?: number, ...args: []) => {
    const timer = held.get(ms ?? 0);
    if (!timer) return real(callback, ms, ...args);
    timer.resolve(callback);
    return real(() => undefined, 0);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(replacement);
  return {
    async runOut(ms) {
      const callback = await held.get(ms)?.promise;
      callback?.();
    },
  };
}

/**
 * Signals of `AbortSignal.timeout` with this duration (milliseconds) abort when the test says that their time is up, and
 * never by themselves; all others are as ever. Undone by `vi.restoreAllMocks`.
 */
export function holdTimeouts(duration: number): { runOut(): void } {
  const real = AbortSignal.timeout.bind(AbortSignal);
  const held: AbortController[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== duration) return real(ms);
    const controller = new AbortController();
    held.push(controller);
    return controller.signal;
  });
  return {
    runOut() {
      const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      for (const controller of held) controller.abort(reason);
    },
  };
}
