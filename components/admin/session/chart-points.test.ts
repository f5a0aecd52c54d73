import { describe, expect, it } from 'vitest';
import { chartPoints, thinPoints } from '#components/admin/session/chart-points.ts';
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
