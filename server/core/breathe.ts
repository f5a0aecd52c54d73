/** Longest time that work may hold the event loop before it yields; milliseconds. */
const SLICE_MS = 20;

/** Captured at load, so fake timers in tests do not replace it. */
const { setImmediate: afterOthers } = globalThis;

/** Yields to the event loop so other work can run. */
export function letOthersThrough(): Promise<void> {
  return new Promise((resolve) => {
    afterOthers(resolve);
  });
}

/**
 * Returns a function to await between the steps of long work. It yields to the event loop when 20 ms have passed since
 * it last did; otherwise it resolves at once.
 */
export function createBreathing(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await letOthersThrough();
    since = performance.now();
  };
}
