import type { Clock, FaultLog } from '#server/core/process';

/**
 * How a value is read, and how long it is used. The first of consecutive failures is logged; the last value stays in
 * use.
 */
export interface RefreshedOptions<T> extends Clock, FaultLog {
  /** Name in the log. */
  readonly name: string;
  /** Milliseconds after which a value is read again. */
  readonly maxAgeMs: number;
  /** Milliseconds after a failure before the next attempt. */
  readonly retryMs: number;
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** A value that was read earlier, at `at` (epoch milliseconds); used until the first reading. */
  readonly restore?: () => Promise<{ readonly value: T; readonly at: number } | null>;
}

/** A value kept in memory, and read again in the background when it is old. */
export class Refreshed<T> {
  readonly #options: RefreshedOptions<T>;
  readonly #closed = new AbortController();
  #value: T | null = null;
  #triedAt: number | null = null;
  #failed = false;
  #isRestored = false;
  #running: Promise<void> | null = null;

  constructor(options: RefreshedOptions<T>) {
    this.#options = options;
  }

  /** The present value; null before the first reading. */
  get value(): T | null {
    return this.#value;
  }

  /** True if the value is old. */
  isDue(): boolean {
    if (this.#triedAt === null) return true;
    const age = this.#options.now() - this.#triedAt;
    // A time in the future means that the system clock was set back.
    return age < 0 || age >= (this.#failed ? this.#options.retryMs : this.#options.maxAgeMs);
  }

  /** Reads again if due or forced. Never throws; concurrent callers share one reading. */
  refresh(force = false): Promise<void> {
    if (this.#running) return this.#running;
    if (this.#closed.signal.aborted || !(force || this.isDue())) return Promise.resolve();
    this.#running = this.#restoreOrRead(force).finally(() => (this.#running = null));
    return this.#running;
  }

  /** Aborts a reading in progress and prevents further ones. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #restoreOrRead(force: boolean): Promise<void> {
    if (!this.#isRestored) await this.#restore();
    if (force || this.isDue()) await this.#read();
  }

  async #restore(): Promise<void> {
    this.#isRestored = true;
    try {
      const former = (await this.#options.restore?.()) ?? null;
      if (former) [this.#value, this.#triedAt] = [former.value, former.at];
    } catch (error) {
      this.#options.onFault('the stored list of models cannot be read', error);
    }
  }

  async #read(): Promise<void> {
    const { read, now, name, onFault } = this.#options;
    this.#triedAt = now();
    try {
      this.#value = await read(this.#closed.signal);
      this.#failed = false;
    } catch (error) {
      if (!this.#failed && !this.#closed.signal.aborted) onFault(`${name} cannot be read`, error);
      this.#failed = true;
    }
  }
}
