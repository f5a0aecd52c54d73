import { describe, expect, test, vi } from 'vitest';
import { fittedExponent, growthOf } from '#tests/bench/server/growth';
import { percentile } from '#tests/bench/support/figures';
import { AT_MOST_QUADRATIC, expectGrowthBelow, NEARLY_LINEAR } from '#tests/support/growth';

const SIZES = [100, 1_000, 10_000, 100_000];

describe('fittedExponent', () => {
  test.each([
    ['what does not grow', () => 7, 0],
    ['linear growth', (size: number) => size * 3, 1],
    ['quadratic growth', (size: number) => size ** 2, 2],
    ['growth with the root', (size: number) => 5 * Math.sqrt(size), 0.5],
  ])('finds the exponent of %s', (_, cost, exponent) => {
    expect(fittedExponent(SIZES, SIZES.map(cost))).toBeCloseTo(exponent, 10);
  });

  test('takes all points into account, not the first and the last', () => {
    expect(fittedExponent([10, 100, 1_000], [1, 100, 1])).toBeCloseTo(0, 10);
    expect(fittedExponent(SIZES, [1, 1, 1, 10])).toBeCloseTo(0.3, 10);
  });

  test('is null where no line can be drawn', () => {
    expect(fittedExponent([100], [5])).toBeNull();
    expect(fittedExponent(SIZES, [0, 1, 2, 3])).toBeNull();
    expect(fittedExponent(SIZES, [1, Number.NaN, 2, 3])).toBeNull();
  });
});

test('only what should cost the same at every size is marked as growing', () => {
  const measure = { measure: 'a turn', unit: 'ms' } as const;
  expect(growthOf({ ...measure, isConstant: true }, SIZES, SIZES).grows).toBe(true);
  expect(growthOf({ ...measure, isConstant: true }, SIZES, [10, 11, 12, 13]).grows).toBe(false);
  expect(growthOf({ ...measure, isConstant: false }, SIZES, SIZES).grows).toBe(false);
});

test('a percentile is one of the values, by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0, 0.5, 0.95, 0.99, 1].map((p) => percentile(hundred, p))).toEqual([1, 50, 95, 99, 100]);
  expect(percentile([4, 1, 3], 0.5)).toBe(3);
  expect(percentile([], 0.5)).toBeNaN();
});

describe('the growth of work with its text', () => {
  test('is above its bound for quadratic work, however often it is measured', () => {
    let clock = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => clock);
    const quadratic = ({ length }: string) => void (clock += length ** 2 / 1_000);
    const text = ' '.repeat(4_000);
    expect(() => expectGrowthBelow(NEARLY_LINEAR, text, quadratic)).toThrow(/exponent of growth/);
    expectGrowthBelow(AT_MOST_QUADRATIC, text, quadratic);
  });

  test('is above it for work whose time is really spent', () => {
    const quadratic = (text: string) => void / +$/.test(`${text}x`);
    // Far below quadratic: what a busy machine adds to the small text makes growth look smaller.
    expect(() => expectGrowthBelow(1.3, ' '.repeat(8_000), quadratic)).toThrow(/exponent of growth/);
  });

  test('is below it for linear work', () => {
    expectGrowthBelow(NEARLY_LINEAR, 'kiln '.repeat(100_000), (text) => void text.split(' '));
  });
});
