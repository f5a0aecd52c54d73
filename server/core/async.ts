/** Makes a value when it is first asked for, and keeps it. A failure is not kept: the next call tries again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept === undefined) {
      const making = make();
      kept = making;
      making.catch(() => {
        kept = undefined;
      });
    }
    return kept;
  };
}

/** The value, unless the signal ends first. @throws the signal's reason */
export async function orAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([value, aborted.promise]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** The value, or null where it takes longer than `limitMs`; the work goes on by itself. */
export async function within<T>(limitMs: number, value: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, limitMs, null);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

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
