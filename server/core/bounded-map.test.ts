import { describe, expect, it } from 'vitest';
import { BoundedMap, createBoundedCache, createTextCache } from '#server/core/bounded-map';

describe('BoundedMap', () => {
  it('drops the oldest, and returns it', () => {
    const map = new BoundedMap<number>(2);
    expect(map.set('a', 1)).toBeUndefined();
    expect(map.set('b', 2)).toBeUndefined();
    expect(map.set('a', 3)).toBe(1);
    expect(map.set('c', 4)).toBe(2);
    expect(map.keys()).toEqual(['a', 'c']);
    expect([map.get('b'), map.delete('a'), map.get('a')]).toEqual([undefined, 3, undefined]);
  });
});

it('makes a value once, and forgets what was asked for the longest ago', () => {
  const made: string[] = [];
  const cache = createBoundedCache<string>(2);
  const ask = (key: string) => cache(key, () => (made.push(key), key.toUpperCase()));
  expect(['a', 'b', 'a', 'c', 'a', 'b'].map(ask)).toEqual(['A', 'B', 'A', 'C', 'A', 'B']);
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

it('keeps results of texts by their length together, not by their number', () => {
  const made: string[] = [];
  const cache = createTextCache<string>(12, (value) => value.length);
  const ask = (text: string) => cache(text, () => (made.push(text), text.toUpperCase()));
  expect(['a', 'b', 'c', 'aaaa', 'b', 'toolong', 'b', 'b'].map(ask)[5]).toBe('TOOLONG');
  expect(made).toEqual(['a', 'b', 'c', 'aaaa', 'toolong', 'b']);
});
