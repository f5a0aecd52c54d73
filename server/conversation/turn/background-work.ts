import { serverStopping } from '#server/core/messages/coded-errors';
import { setTimeout as delay } from 'node:timers/promises';
import { NotFoundError } from '#server/core/errors';

/** Background work, and requests that may still start some, tracked until the process ends. */
export class BackgroundWork {
  readonly #onFault: (fault: string, error: unknown) => void;
  readonly #works = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** @param onFault receives errors that would otherwise go unnoticed */
  constructor(onFault: (fault: string, error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Aborted when no new work may start. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** No new work starts from now on; running work continues. */
  close(): void {
    this.#closing.abort();
  }

  /** Runs a request that the end of the process waits for. @throws StoppingError */
  async whileOpen<T>(request: () => Promise<T>): Promise<T> {
    if (this.closing.aborted) throw serverStopping();
    return this.#track(request());
  }

  /**
   * Starts background work that only `settled` waits for. A deleted session and the end of this process are not
   * reported as errors.
   */
  start(work: Promise<void>, fault: string): void {
    void this.#track(this.attempt(fault, () => work));
  }

  /** Runs the work and never fails: errors are reported to `onFault`. */
  async attempt(fault: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isOver = this.closing.aborted || error instanceof NotFoundError;
      if (!isOver) this.#onFault(fault, error);
    }
  }

  /** Waits for the work that runs now; more may have started by then. */
  async settled(): Promise<void> {
    await Promise.all(this.#works);
  }

  get isIdle(): boolean {
    return this.#works.size === 0;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const settled = work
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => this.#works.delete(settled));
    this.#works.add(settled);
    return work;
  }
}

export interface Repetition {
  /** Starts no further run; resolves when the current one is done. */
  stop(): Promise<void>;
}

/**
 * Repeats the work with a pause of `everyMs` milliseconds before each run, so runs never overlap. The work must not
 * throw. It does not keep the process alive.
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
