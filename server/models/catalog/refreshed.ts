export interface RefreshedOptions<T> {
  /** For the log: what cannot be read. */
  readonly name: string;
  /** Milliseconds after which a value is read again. */
  readonly maxAgeMs: number;
  /** Milliseconds after a failure before the next attempt. */
  readonly retryMs: number;
  readonly read: (signal: AbortSignal) => Promise<T>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Told of the first failure in a row; the last value stays in use. */
  readonly onFault: (message: string, error: unknown) => void;
}

/** A value from elsewhere that is kept in memory and read again in the background once it is old; nobody waits for it. */
export class Refreshed<T> {
  readonly #options: RefreshedOptions<T>;
  readonly #closed = new AbortController();
  #value: T | null = null;
  #triedAt: number | null = null;
  #failed = false;
  #running: Promise<void> | null = null;

  constructor(options: RefreshedOptions<T>) {
    this.#options = options;
  }

  /** The newest value there is, at once; null before the first. */
  get value(): T | null {
    return this.#value;
  }

  /** Takes over a value that was read earlier, `at` epoch milliseconds. */
  restore(value: T, at: number): void {
    this.#value = value;
    this.#triedAt = at;
  }

  /** Whether it is time to read again. */
  isDue(): boolean {
    if (this.#triedAt === null) return true;
    const age = this.#options.now() - this.#triedAt;
    // A time in the future means that the clock was set back.
    return age < 0 || age >= (this.#failed ? this.#options.retryMs : this.#options.maxAgeMs);
  }

  /** Reads again if it is time, or in any case if forced. Never throws; several callers share one reading. */
  refresh(force = false): Promise<void> {
    if (this.#running) return this.#running;
    if (this.#closed.signal.aborted || !(force || this.isDue())) return Promise.resolve();
    this.#running = this.#read().finally(() => (this.#running = null));
    return this.#running;
  }

  /** Breaks off a reading that is under way; nothing is read any more. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
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
