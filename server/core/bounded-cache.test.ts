import { expect, it } from 'vitest';
import { createBoundedCache } from '#server/core/bounded-cache';

it('makes a value once, and forgets what was asked for the longest ago', () => {
  const made: string[] = [];
  const cache = createBoundedCache<string>(2);
  const ask = (key: string) => cache(key, () => (made.push(key), key.toUpperCase()));
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['A', 'B', 'A', 'C', 'A', 'B']);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});
