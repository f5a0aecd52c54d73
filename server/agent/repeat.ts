import { setTimeout as delay } from 'node:timers/promises';

export interface Repetition {
  /** Resolves when what is being done is done; nothing is begun any more. */
  stop(): Promise<void>;
}

/**
 * Does it again and again, with a pause of `everyMs` milliseconds before each time, so never twice at once. It may not
 * throw. The process does not stay alive for it.
 */
export function repeat(work: () => Promise<void>, everyMs: number): Repetition {
  const over = new AbortController();
  const pause = () => delay(everyMs, true, { signal: over.signal, ref: false }).catch(() => false);
  const done = (async () => {
    while (await pause()) await work();
  })();
  return {
    stop() {
      over.abort();
      return done;
    },
  };
}
