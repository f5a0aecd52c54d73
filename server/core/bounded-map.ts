/** A map of the newest entries: the oldest gives way when there are more than `most`. */
export class BoundedMap<V> {
  readonly #most: number;
  readonly #entries = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Puts the entry last; returns the one that had to go: the former one of this key, or the oldest. */
  set(key: string, value: V): V | undefined {
    const former = this.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    return this.#entries.size > this.#most && oldest !== undefined ? this.delete(oldest) : former;
  }

  delete(key: string): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }

  /** The oldest first. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }
}
