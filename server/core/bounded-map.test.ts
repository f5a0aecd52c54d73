import { describe, expect, it } from 'vitest';
import { BoundedMap } from '#server/core/bounded-map';

describe('BoundedMap', () => {
  it('lets the oldest go, and says which', () => {
    const map = new BoundedMap<number>(2);
    expect(map.set('a', 1)).toBeUndefined();
    expect(map.set('b', 2)).toBeUndefined();
    expect(map.set('a', 3)).toBe(1);
    expect(map.set('c', 4)).toBe(2);
    expect(map.keys()).toEqual(['a', 'c']);
    expect([map.get('b'), map.delete('a'), map.get('a')]).toEqual([undefined, 3, undefined]);
  });
});
