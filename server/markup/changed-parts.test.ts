import { describe, expect, it } from 'vitest';
import { changedParts } from '#server/markup/changed-parts';

describe('changedParts', () => {
  it('keeps the order of both lists', () => {
    expect(changedParts(['a', 'b', 'c', 'd'], ['a', 'c', 'x', 'd'])).toEqual([
      { kind: 'same', items: ['a'] },
      { kind: 'removed', items: ['b'] },
      { kind: 'same', items: ['c'] },
      { kind: 'added', items: ['x'] },
      { kind: 'same', items: ['d'] },
    ]);
  });

  it('has no empty parts where nothing is in common', () => {
    expect(changedParts(['a'], ['b'])).toEqual([
      { kind: 'removed', items: ['a'] },
      { kind: 'added', items: ['b'] },
    ]);
    expect(changedParts([], [])).toEqual([]);
  });

  it('finds the common beginning and end also where more differs between than is looked for', () => {
    const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`);
    const [start, end] = [numbered('start', 300), numbered('end', 300)];
    const [was, is] = [numbered('old', 600), numbered('new', 700)];
    expect(changedParts([...start, ...was, ...end], [...start, ...is, ...end])).toEqual([
      { kind: 'same', items: start },
      { kind: 'removed', items: was },
      { kind: 'added', items: is },
      { kind: 'same', items: end },
    ]);
  });
});
