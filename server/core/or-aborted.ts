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
