import { describe, expect, it } from 'vitest';
import { matchInOrder } from '#server/wordpress/blocks/paired-lists';

const numbered = (count: number, change = (text: string, _index: number) => text) =>
  Array.from({ length: count }, (_, index) => change(`block ${index}`, index));

describe('matchInOrder', () => {
  it('matches what is in both lists in the same order', () => {
    expect([...matchInOrder(['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'b', 'd'])]).toEqual(
      expect.arrayContaining([
        [0, 0],
        [4, 3],
      ]),
    );
    expect([...matchInOrder(['a', 'a'], ['a'])]).toEqual([[0, 0]]);
    expect([...matchInOrder(['a'], [])]).toEqual([]);
  });

  it('matches the common beginning and end also where more differs between than is looked for', () => {
    const isMiddle = (index: number) => index >= 300 && index < 900;
    const before = numbered(1_200);
    const after = numbered(1_200, (text, index) => (isMiddle(index) ? `new ${text}` : text));
    const kept = before.map((_, index) => index).filter((index) => !isMiddle(index));
    expect([...matchInOrder(before, after)]).toEqual(kept.map((index) => [index, index]));
    expect(kept).toHaveLength(600);
  });

  it('shifts the matches at the end by what came between', () => {
    const before = numbered(700);
    const after = [...before.slice(0, 350), ...numbered(1_100, (text) => `new ${text}`), ...before.slice(350)];
    const matches = matchInOrder(before, after);
    expect(matches.size).toBe(700);
    expect(matches.get(after.length - 1)).toBe(699);
  });
});
