import { expect, it } from 'vitest';
import { compactNumber, shownPercent } from '#components/format.ts';

it('a compact number fits a small space', () => {
  const numbers = [850, 1000, 3400, 12_345, 128_000, 1_000_000];
  expect(numbers.map(compactNumber)).toEqual(['850', '1k', '3.4k', '12k', '128k', '1M']);
});

it('never shows more than 100 percent', () => {
  expect([41.6, 2_362].map(shownPercent)).toEqual([42, 100]);
});
