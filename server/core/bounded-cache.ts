import { BoundedMap } from '#server/core/bounded-map';

/** Remembers what was made for the `most` keys asked for last, each made once while it is remembered. */
export function createBoundedCache<T>(most: number): (key: string, make: () => T) => T {
  const known = new BoundedMap<{ readonly value: T }>(most);
  return (key, make) => {
    const entry = known.get(key) ?? { value: make() };
    known.set(key, entry);
    return entry.value;
  };
}
