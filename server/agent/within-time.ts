/**
 * Does work whose signal aborts with `outer`, or after `ms` milliseconds with a TimeoutError that says `message`. It
 * waits for the work in any case.
 */
export async function withinTime<T>(
  ms: number,
  message: string,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(new DOMException(message, 'TimeoutError')), ms);
  try {
    return await work(AbortSignal.any([outer, time.signal]));
  } finally {
    clearTimeout(timer);
  }
}
