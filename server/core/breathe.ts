import { setImmediate } from 'node:timers/promises';

/** How long work may keep everybody else waiting before it lets them through; milliseconds. */
const SLICE_MS = 20;

/**
 * Lets others through while long work is done: awaited between its steps, it gives up the event loop once the work has had
 * it for 20 ms. Short work never does.
 */
export function createBreathing(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
