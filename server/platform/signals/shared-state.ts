import { isDeepStrictEqual } from 'node:util';
import type { Clock, FaultLog } from '#server/core/process';
import type { Signals } from '#server/core/conversation/events';

interface SharedStateOptions<T> extends Partial<Clock>, FaultLog {
  /** What it is, for the log: `the stored settings`. */
  readonly name: string;
  /** Reads the stored value. */
  readonly read: () => Promise<T>;
  /** Topic that notifies the other processes of a change. */
  readonly topic: string;
  readonly signals: Signals;
  /** Called with every new value, written by this process or another one, before any other code sees it. */
  readonly onChange?: (value: T) => void;
}

/** Longest time that a change by another process may go unnoticed if its signal is lost; milliseconds. */
const MAX_AGE_MS = 5_000;

/**
 * A value that is stored for all processes and cached in memory, for example the settings. It is read again when another
 * process may have written it.
 */
export class SharedState<T> {
  readonly #options: SharedStateOptions<T>;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #value: T;
  #readAt: number;
  /** Number of our own writes: a value that was read before a write is outdated after it. */
  #writes = 0;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;

  private constructor(options: SharedStateOptions<T>, value: T) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#value = value;
    this.#readAt = this.#now();
    this.#unsubscribe = options.signals.subscribe(options.topic, () => this.#reread());
    options.onChange?.(value);
  }

  /** Reads the value for the first time. @throws the error of that read */
  static async load<T>(options: SharedStateOptions<T>): Promise<SharedState<T>> {
    return new SharedState(options, await options.read());
  }

  /** The value; the same object until it changes. An outdated value is read again in the background. */
  get value(): T {
    if (this.#now() - this.#readAt >= MAX_AGE_MS) this.#reread();
    return this.#value;
  }

  /** Reads the stored value again. @throws the error of the read */
  async refresh(): Promise<void> {
    const before = this.#writes;
    const newest = await this.#options.read();
    if (before === this.#writes) this.#take(newest);
  }

  /** Waits for a write of this process, caches the value that it returns, and notifies the other processes. */
  async written(write: Promise<T>): Promise<void> {
    const newest = await write;
    this.#writes += 1;
    this.#take(newest);
    this.#options.signals.notify(this.#options.topic);
  }

  /** Stops listening for changes, after a running read. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    await this.#reading;
  }

  #take(newest: T): void {
    this.#readAt = this.#now();
    if (isDeepStrictEqual(this.#value, newest)) return;
    this.#value = newest;
    this.#options.onChange?.(newest);
  }

  /** Reads in the background, one read at a time. A change that arrives during a read causes another read after it. */
  #reread(): void {
    if (this.#isClosed) return;
    this.#readAt = this.#now();
    this.#isStale = this.#reading !== null;
    this.#reading ??= this.refresh()
      // The cached value stays in use.
      .catch((error: unknown) => this.#options.onFault(`${this.#options.name} cannot be read`, error))
      .finally(() => {
        this.#reading = null;
        if (this.#isStale) this.#reread();
      });
  }
}
