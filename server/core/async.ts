/* Helpers for promises, and for long work that must not block the event loop. */

/**
 * Returns a function that creates a value on its first call and caches it. A failure is not cached: the next call tries
 * again.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined;
  return () => {
    if (cached === undefined) {
      const making = make();
      cached = making;
      making.catch(() => {
        cached = undefined;
      });
    }
    return cached;
  };
}

/**
 * Waits for a value, unless the signal aborts first; a later failure of the value is then ignored.
 * @throws the signal's reason
 */
export async function orAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([aborted.promise, value]);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Waits for a value, or returns null after `limitMs`; the work continues in the background. */
export async function within<T>(limitMs: number, value: Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, limitMs, null);
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for all of them, also if one fails. @throws the first error, in their order */
export async function allDone<const T extends readonly Promise<unknown>[]>(
  works: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Time for which work may block the event loop before it yields: requests must not wait noticeably. Milliseconds. */
const SLICE_MS = 20;

/** Captured at load, so that fake timers in tests do not replace it. */
const { setImmediate: afterOthers } = globalThis;

/** Yields to the event loop so other work can run. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    afterOthers(resolve);
  });
}

/**
 * Returns a function to await between the steps of long work. It yields to the event loop if 20 ms have passed since
 * the last yield; otherwise it resolves immediately.
 */
export function createYielder(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await yieldToEventLoop();
    since = performance.now();
  };
}

/**
 * The values of an iterator, read when the reader asks.
 * @param onCancel called when the reader cancels, to end the pending step; then the iterator ends. Default: nothing, and
 * the pending step is awaited
 */
export function streamFrom<T>(values: AsyncIterator<T, unknown>, onCancel?: () => void): ReadableStream<T> {
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const next = await values.next();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        onCancel?.();
        await values.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
