/** A `fetch` that fails on request, like an unreachable site. */
export interface FailingFetch {
  readonly fetch: typeof fetch;
  /** Lets so many requests through, then none. */
  failAfter(requests: number): void;
  /** Only the nth write (from 1) from now on is lost on its way. */
  failNthWrite(n: number): void;
}

export function createFailingFetch(): FailingFetch {
  let left = Infinity;
  let writesUntilFailure = Infinity;
  const lost = () => Promise.reject(new TypeError('fetch failed'));
  return {
    fetch: (input, init) => {
      const isWrite = (init?.method ?? 'GET') !== 'GET';
      if (isWrite) writesUntilFailure -= 1;
      left -= 1;
      return left < 0 || (isWrite && writesUntilFailure === 0) ? lost() : fetch(input, init);
    },
    failAfter(requests) {
      left = requests;
    },
    failNthWrite(n) {
      writesUntilFailure = n;
    },
  };
}
