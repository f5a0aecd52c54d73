import { setTimeout as delay } from 'node:timers/promises';
import { NotFoundError, StoppingError } from '#server/core/errors';

/** Work that no request waits for, and requests that may still start some, until the process ends. */
export class BackgroundWork {
  readonly #onFault: (fault: string, error: unknown) => void;
  readonly #works = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** @param onFault is told what went wrong where nobody else would hear of it */
  constructor(onFault: (fault: string, error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Aborted once nothing new is to begin. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** From now on nothing begins; what runs goes on. */
  close(): void {
    this.#closing.abort();
  }

  /** Whoever waits for this process to end waits for the request, too. @throws StoppingError */
  async whileOpen<T>(request: () => Promise<T>): Promise<T> {
    if (this.closing.aborted) throw new StoppingError();
    return this.#track(request());
  }

  /** Starts work that nobody waits for but `settled`; a deleted session, and the end of this process, are no faults. */
  start(work: Promise<void>, fault: string): void {
    void this.#track(this.attempt(fault, () => work));
  }

  /** Carries it out without ever failing: what goes wrong is told. */
  async attempt(fault: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const isOver = this.closing.aborted || error instanceof NotFoundError;
      if (!isOver) this.#onFault(fault, error);
    }
  }

  /** Waits for what runs now; more may have begun meanwhile. */
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
