import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeAt } from '#components/editor/model/drag-order.ts';
import type { JsonObject } from '#server/core/json';
import { type ItemRow, rowsAfterChange, rowsOf, savedIndex, savedItems } from '#components/editor/model/item-rows.ts';

const isComplete = ({ question }: JsonObject) => question !== '';
const question = (text: string): JsonObject => ({ question: text });
const items = fc.array(fc.constantFrom('a', 'b', 'c', 'd').map(question), { maxLength: 6 });

/** Rows of a list with an unfinished new one somewhere. */
const rows = fc.tuple(items, fc.nat(6)).map(([saved, place]): readonly ItemRow[] => {
  const list = rowsOf(saved);
  return list.toSpliced(Math.min(place, list.length), 0, ...rowsOf([question('')], true));
});

it('rows become the list as it was changed elsewhere; what is not finished stays', () => {
  fc.assert(
    fc.property(rows, items, (before, list) => {
      const after = rowsAfterChange(before, list, isComplete);
      expect(savedItems(after, isComplete)).toEqual(list);
      const unfinished = before.find(({ item }) => !isComplete(item));
      expect(after).toContainEqual(unfinished);
      expect(new Set(after.map(({ key }) => key)).size).toBe(after.length);
    }),
  );
});

it('an item that was moved elsewhere keeps its row', () => {
  const before = rowsOf(['a', 'b', 'c'].map(question));
  const after = rowsAfterChange(before, ['c', 'a', 'b'].map(question), isComplete);
  expect(after.map(({ key }) => key)).toEqual([2, 0, 1].map((place) => before[place]?.key));
});

it('an item that was rewritten elsewhere keeps the row in its place', () => {
  const before = rowsOf(['a', 'b'].map(question));
  const after = rowsAfterChange(before, ['a', 'B'].map(question), isComplete);
  expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
});

it('an item that lacks a newly required field is saved unchanged and counted', () => {
  const before = [...rowsOf([question(''), question('a')]), ...rowsOf([question('')], true)];
  expect(savedItems(before, isComplete)).toEqual([question(''), question('a')]);
  expect(before.map(({ key }) => savedIndex(before, key, isComplete))).toEqual([0, 1, null]);
});

it('a dragged row is placed after the rows whose middle it has passed', () => {
  const boxes = [0, 1, 2, 3].map((place) => ({ top: place * 10, bottom: place * 10 + 8 }));
  expect(placeAt(boxes, 1, 0)).toBe(1);
  expect(placeAt(boxes, 1, 7)).toBe(2);
  expect(placeAt(boxes, 1, 500)).toBe(3);
  expect(placeAt(boxes, 1, -7)).toBe(0);
  expect(placeAt(boxes, 3, -500)).toBe(0);
});
