import { expect, it } from 'vitest';
import { tableRows } from '#server/core/sections/table-rows';

it('reads Markdown tables, and keeps rows of hyphens that are not below a header', () => {
  expect(tableRows('| A | B |\n|---|:-:|\n| 1 | --- |\n| --- | --- |')).toEqual([
    ['A', 'B'],
    ['---', ':-:'],
    ['1', '---'],
    ['---', '---'],
  ]);
  expect(tableRows('A | B\n--- | :---:\n1 | 2')).toEqual([
    ['A', 'B'],
    ['1', '2'],
  ]);
});

it('reads a long line of hyphens without backtracking', () => {
  const line = `${'-'.repeat(9_999)}x`;
  expect(tableRows(line)).toEqual([[line]]);
});
