import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dropPlace } from '#components/editor/model/page-geometry.ts';

const stacked = (heights: readonly number[], gap = 20) => {
  let top = 0;
  return heights.map((height) => {
    const box = { left: 0, width: 100, top, height };
    top += height + gap;
    return box;
  });
};

test('a section is dropped after those whose middle is above the pointer', () => {
  const boxes = stacked([100, 100, 100]);
  expect(dropPlace(boxes, 0, -50)).toBe(0);
  expect(dropPlace(boxes, 0, 169)).toBe(0);
  expect(dropPlace(boxes, 0, 171)).toBe(1);
  expect(dropPlace(boxes, 0, 999)).toBe(2);
  expect(dropPlace(boxes, 2, 10)).toBe(0);
  expect(dropPlace(boxes, 1, 170)).toBe(1);
});

test('a drop position is always within the list, for any sizes and pointer', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 1, maxLength: 60 }),
      fc.nat(),
      fc.integer({ min: -5_000, max: 200_000 }),
      (heights, index, y) => {
        const boxes = stacked(heights);
        const from = index % boxes.length;
        const to = dropPlace(boxes, from, y);
        expect(to).toBeGreaterThanOrEqual(0);
        expect(to).toBeLessThan(boxes.length);
        // Further down is never further up.
        expect(dropPlace(boxes, from, y + 10)).toBeGreaterThanOrEqual(to);
      },
    ),
  );
});
