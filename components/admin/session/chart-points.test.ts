import { describe, expect, it } from 'vitest';
import {
  chartPoints,
  chartRows,
  fitsBelowLimits,
  roundTicks,
  thinPoints,
} from '#components/admin/session/chart-points.ts';
import { contextSample } from '#tests/support/context-history';

describe('chartPoints', () => {
  it('stretches the kinds to what the provider reported', () => {
    const [point] = chartPoints([
      contextSample(1, { user: 300, toolResults: 100 }, { currentTokens: 600, source: 'reported' }),
    ]);
    expect(point).toMatchObject({ user: 450, toolResults: 150, isEstimated: false });
  });
});

const history = (tokens: readonly number[]) =>
  chartPoints(tokens.map((user, index) => contextSample(index + 1, { user })));

describe('thinPoints', () => {
  it('keeps the ends and every peak', () => {
    const points = history(Array.from({ length: 1000 }, (_, index) => (index === 637 ? 9000 : 100 + (index % 7))));
    const thinned = thinPoints(points, 50);
    expect(thinned.length).toBeLessThan(60);
    expect(thinned[0]?.step).toBe(1);
    expect(thinned.at(-1)?.step).toBe(1000);
    expect(thinned.map((point) => point.total)).toContain(9000);
    expect(thinned.map((point) => point.step)).toEqual(thinned.map((point) => point.step).toSorted((a, b) => a - b));
  });

  it('keeps the points before and after a mark', () => {
    const points = history(Array.from({ length: 400 }, (_, index) => 1000 + index));
    const steps = thinPoints(points, 10, new Set([203])).map((point) => point.step);
    expect(steps).toEqual(expect.arrayContaining([202, 203]));
  });

  it('keeps each change of the window', () => {
    const points = chartPoints(
      Array.from({ length: 100 }, (_, index) =>
        contextSample(index + 1, { user: 500 - index }, { contextWindow: index < 55 ? 16_000 : 32_000 }),
      ),
    );
    expect(thinPoints(points, 4).map((point) => point.step)).toContain(56);
  });
});

describe('fitsBelowLimits', () => {
  it('is true where all is far below usable', () => {
    expect(fitsBelowLimits(history([100, 900]))).toBe(true);
    expect(fitsBelowLimits(history([100, 9000, 200]))).toBe(false);
  });
});

const four = chartPoints([1, 2, 3, 4].map((id) => contextSample(id, { user: id * 100 })));

describe('chartRows', () => {
  it('gives the newest level a visible width', () => {
    expect(chartRows(four, 'step').map((row) => row.x)).toEqual([1, 2, 3, 4, 5]);
    expect(chartRows(four, 'time').map((row) => row.x)).toEqual([1000, 2000, 3000, 4000, 5000]);
    expect(chartRows([], 'step')).toEqual([]);
  });
});

it('puts ticks at round figures within the axis', () => {
  expect(roundTicks(17_280)).toEqual([0, 5000, 10_000, 15_000]);
  expect(roundTicks(3293)).toEqual([0, 1000, 2000, 3000]);
  expect(roundTicks(0)).toEqual([0]);
});
