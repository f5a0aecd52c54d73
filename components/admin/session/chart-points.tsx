import { type ContextKind, contextKinds } from '#components/admin/session/context-kinds';
import type { ContextSample } from '#server/core/context-report';

/**
 * The samples, oldest first, as points whose kinds add up to the total: a provider's figure seldom is the sum of our
 * counts, so these are stretched to it.
 */
export function chartPoints(samples: readonly ContextSample[]): readonly ChartPoint[] {
  return samples.map((sample, index) => {
    const counted = contextKinds.reduce((sum, kind) => sum + sample.breakdown[kind], 0);
    const factor = counted === 0 ? 0 : sample.currentTokens / counted;
    const kinds = Object.fromEntries(contextKinds.map((kind) => [kind, sample.breakdown[kind] * factor]));
    return {
      ...(kinds as Record<ContextKind, number>),
      sampleId: sample.id,
      step: index + 1,
      time: sample.createdAt,
      total: sample.currentTokens,
      usable: sample.usableTokens,
      window: sample.contextWindow,
      modelId: sample.modelId,
      isEstimated: sample.source === 'estimated',
    };
  });
}

/**
 * Reduces the points to as many as can be told apart: the ends, the fullest of each stretch, the points before and
 * after each of `keep`, and every change of the window. Points keep their steps.
 * @param most at least 2; exceeded where more must be kept
 * @param keep steps at which something happened
 */
export function thinPoints(
  points: readonly ChartPoint[],
  most: number,
  keep: ReadonlySet<number> = new Set(),
): readonly ChartPoint[] {
  if (points.length <= most) return points;
  const size = points.length / most;
  const fullest = new Map<number, ChartPoint>();
  for (const [index, point] of points.entries()) {
    const stretch = Math.floor(index / size);
    const best = fullest.get(stretch);
    if (best === undefined || point.total > best.total) fullest.set(stretch, point);
  }
  const chosen = new Set(fullest.values());
  return points.filter(
    (point, index) =>
      chosen.has(point) ||
      index === 0 ||
      index === points.length - 1 ||
      keep.has(point.step) ||
      keep.has(point.step + 1) ||
      points[index - 1]?.window !== point.window,
  );
}

/** Share of usable below which the chart is drawn to fit, because it would be a thin line at the bottom. */
const LOW = 0.3;

/** True if the limits lie so far above everything measured that the chart leaves them out. */
export function fitsBelowLimits(points: readonly ChartPoint[]): boolean {
  const peak = Math.max(0, ...points.map((point) => point.total));
  const usable = Math.max(0, ...points.map((point) => point.usable));
  return peak < usable * LOW;
}

/** One sample as the chart draws it. Tokens. */
export interface ChartPoint extends Readonly<Record<ContextKind, number>> {
  readonly sampleId: number;
  /** Number of the sample, from 1. */
  readonly step: number;
  /** Epoch milliseconds. */
  readonly time: number;
  readonly total: number;
  readonly usable: number;
  readonly window: number;
  readonly modelId: string;
  readonly isEstimated: boolean;
}

export type ChartAxis = 'step' | 'time';

/** A point with its place on the horizontal axis. */
export interface ChartRow extends ChartPoint {
  readonly x: number;
}

/** Share of the time axis that shows the latest state; at least a second. */
const TAIL_SHARE = 0.03;

/**
 * Points along an axis, with the last one again at the end: a level holds until the next measurement, and the newest one
 * needs a width too.
 */
export function chartRows(points: readonly ChartPoint[], axis: ChartAxis): readonly ChartRow[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  const tail = axis === 'step' ? 1 : Math.max(1000, (last.time - first.time) * TAIL_SHARE);
  const rows = points.map((point) => ({ ...point, x: point[axis] }));
  return [...rows, { ...last, x: last[axis] + tail }];
}

/** Lines that an axis from 0 to `top` should have about; their distance is a round number. */
const TICKS = 4;

/** Round figures from 0 up to `top`, to read a level by. */
export function roundTicks(top: number): readonly number[] {
  const rough = Math.max(1, top / TICKS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
}
