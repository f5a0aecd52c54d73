import { isDeepStrictEqual } from 'node:util';
import type { Signals } from '#server/core/events';

export interface SharedStateOptions<T> {
  /** Reads it as stored. */
  readonly read: () => Promise<T>;
  /** Says to the other processes that it has changed. */
  readonly topic: string;
  readonly signals: Pick<Signals, 'notify' | 'subscribe'>;
  /** Called with every new value, here or elsewhere written, before anybody else sees it. */
  readonly onChange?: (value: T) => void;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: (() => number) | undefined;
  readonly onFault: (error: unknown) => void;
}

/** Time a change by another process may go unnoticed if no signal tells of it; milliseconds. */
const MAX_AGE_MS = 5_000;

/** Something that is stored for all processes and kept in memory: read again when another one may have written it. */
export class SharedState<T> {
  readonly #options: SharedStateOptions<T>;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #value: T;
  #readAt: number;
  /** Counts our own writes: what was read before one is older than it. */
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

  /** @throws what the first reading throws */
  static async load<T>(options: SharedStateOptions<T>): Promise<SharedState<T>> {
    return new SharedState(options, await options.read());
  }

  /** The value; the same object until it changes. An old one is read again in the background. */
  get value(): T {
    if (this.#now() - this.#readAt >= MAX_AGE_MS) this.#reread();
    return this.#value;
  }

  /** Reads it again. */
  async refresh(): Promise<void> {
    const before = this.#writes;
    const newest = await this.#options.read();
    if (before === this.#writes) this.#take(newest);
  }

  /** Takes what a write of this process has stored, and tells the others. */
  async written(write: Promise<T>): Promise<void> {
    const newest = await write;
    this.#writes += 1;
    this.#take(newest);
    this.#options.signals.notify(this.#options.topic);
  }

  /** Stops hearing of changes. */
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

  /** In the background, one at a time; a change that comes while one is read is read after it. */
  #reread(): void {
    if (this.#isClosed) return;
    this.#readAt = this.#now();
    this.#isStale = this.#reading !== null;
    this.#reading ??= this.refresh()
      .catch(this.#options.onFault)
      .finally(() => {
        this.#reading = null;
        if (this.#isStale) this.#reread();
      });
  }
}
