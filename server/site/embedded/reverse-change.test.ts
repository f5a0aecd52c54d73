import { describe, expect, it } from 'vitest';
import type { PatchOp } from '#server/core/site/content';
import { orderAfter, type OrderStep } from '#server/site/section-order';

const move = (sectionId: string, index: number): PatchOp => ({ op: 'move-section', sectionId, index });
const remove = (sectionId: string): PatchOp => ({ op: 'remove-section', sectionId });
const insert = (id: string, index: number): PatchOp => ({
  op: 'insert-section',
  section: { id, type: 'text', fields: {} },
  index,
});
const step = (id: string, ...operations: PatchOp[]): OrderStep => ({ id, undoes: null, operations });
const undo = (undoes: string, id = `undo of ${undoes}`): OrderStep => ({ id, undoes, operations: [] });
const order = (start: string, ...steps: OrderStep[]) => orderAfter(start.split(''), steps).join('');

describe('orderAfter', () => {
  it('applies operations', () => {
    expect(order('abc', step('1', move('a', 2)))).toBe('bca');
    expect(order('abc', step('1', remove('b'), insert('x', 0), insert('y', 9)))).toBe('xacy');
  });

  it.each([
    ['1', '2'],
    ['2', '1'],
  ])('restores the start in any order of undos', (first, second) => {
    const moves = [step('1', move('a', 2)), step('2', move('b', 2))];
    expect(order('abc', ...moves)).toBe('cab');
    expect(order('abc', ...moves, undo(first), undo(second))).toBe('abc');
  });

  it('keeps what others put between', () => {
    const moved = [step('1', move('a', 2)), step('2', insert('y', 1))];
    expect(order('abc', ...moved)).toBe('byca');
    expect(order('abc', ...moved, undo('1'))).toBe('abyc');
    expect(order('abc', step('1', remove('b')), step('2', move('c', 0)), undo('1'))).toBe('cab');
  });

  it('reverts an undo', () => {
    const steps = [step('1', remove('a')), undo('1', '2'), step('3', move('c', 0))];
    expect(order('abc', ...steps)).toBe('cab');
    expect(order('abc', ...steps, undo('2', '4'))).toBe('cb');
    expect(order('abc', ...steps, undo('2', '4'), undo('4', '5'))).toBe('cab');
  });

  it('tells a section from one that had its id before', () => {
    const steps = [step('1', remove('a')), step('2', insert('a', 2))];
    expect(order('abc', ...steps)).toBe('bca');
    expect(order('abc', ...steps, undo('2'), undo('1'))).toBe('abc');
  });
});
