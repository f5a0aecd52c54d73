/** How long work may keep everybody else waiting before it lets them through; milliseconds. */
const SLICE_MS = 20;

/** The event loop's own, also where a test has put another clock in the place of its timers. */
const { setImmediate: afterOthers } = globalThis;

/** Lets whoever else has something to do come first. */
export function letOthersThrough(): Promise<void> {
  return new Promise((resolve) => {
    afterOthers(resolve);
  });
}

/**
 * Awaited between the steps of long work, it lets others through once the work has kept them waiting for 20 ms. Short work
 * goes on at once.
 */
export function createBreathing(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await letOthersThrough();
    since = performance.now();
  };
}
