/** A map of the newest entries: above its capacity, the oldest is removed. */
export class BoundedMap<V> {
  readonly #capacity: number;
  readonly #entries = new Map<string, V>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** Adds an entry as the newest. @returns the value that it displaces: the previous one of this key, or the oldest; or undefined */
  set(key: string, value: V): V | undefined {
    const former = this.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    return this.#entries.size > this.#capacity && oldest !== undefined ? this.delete(oldest) : former;
  }

  delete(key: string): V | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }

  /** The keys, oldest first. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }
}

/**
 * Creates a cache for the `capacity` most recently used keys. `make` is called if the key is not cached.
 */
export function createBoundedCache<T>(capacity: number): (key: string, make: () => T) => T {
  const known = new BoundedMap<{ readonly value: T }>(capacity);
  return (key, make) => {
    const entry = known.get(key) ?? { value: make() };
    known.set(key, entry);
    return entry.value;
  };
}

/**
 * Creates a cache for results by their text, for the most recently used texts. `make` is called if a text is not cached.
 * @param maxChars characters of all texts and results together
 * @param lengthOf characters of a result
 */
export function createTextCache<T>(
  maxChars: number,
  lengthOf: (value: T) => number,
): (text: string, make: () => T) => T {
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
      if (total <= maxChars) break;
      known.delete(oldest);
      total -= length;
    }
    return entry.value;
  };
}
