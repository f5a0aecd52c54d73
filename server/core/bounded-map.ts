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

/** Remembers what was made for the `most` keys asked for last, each made once while it is remembered. */
export function createBoundedCache<T>(most: number): (key: string, make: () => T) => T {
  const known = new BoundedMap<{ readonly value: T }>(most);
  return (key, make) => {
    const entry = known.get(key) ?? { value: make() };
    known.set(key, entry);
    return entry.value;
  };
}

/**
 * Remembers what was made of the texts asked for last, as long as texts and results have at most `most` characters
 * together.
 * @param lengthOf characters of a result
 */
export function createTextCache<T>(most: number, lengthOf: (value: T) => number): (text: string, make: () => T) => T {
  const known = new Map<string, { readonly value: T; readonly length: number }>();
  let total = 0;
  return (text, make) => {
    let entry = known.get(text);
    if (entry === undefined) {
      const value = make();
      entry = { value, length: text.length + lengthOf(value) };
      total += entry.length;
    }
    known.delete(text);
    known.set(text, entry);
    for (const [oldest, { length }] of known) {
      if (total <= most) break;
      known.delete(oldest);
      total -= length;
    }
    return entry.value;
  };
}
