import { type ContextKind, contextKinds } from '#components/admin/session/context-kinds';
import type { ContextSample } from '#server/core/conversation/context-report';

/** A measurement of the context as the chart draws it: tokens by kind, in total, and their limits. */
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

/** What the horizontal axis shows: the number of the measurement, or its time. */
export type ChartAxis = 'step' | 'time';

/** A point with its position on the horizontal axis. */
export interface ChartRow extends ChartPoint {
  readonly x: number;
}

/**
 * Points for the samples, which are oldest first. The kinds of each point add up to its total: the provider's count
 * seldom equals the sum of our own counts by kind, so these are scaled to it.
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
 * Reduces the points to those that can be distinguished: the first and last, the fullest of each range, the point of
 * each step of `keep` and the one after it, and those where the context window changes. Points keep their step numbers.
 * @param max wanted number of points, at least 2; exceeded if more must be kept
 * @param keep steps with a mark
 */
export function thinPoints(
  points: readonly ChartPoint[],
  max: number,
  keep: ReadonlySet<number> = new Set(),
): readonly ChartPoint[] {
  if (points.length <= max) return points;
  const size = points.length / max;
  const fullest = new Map<number, ChartPoint>();
  for (const [index, point] of points.entries()) {
    const range = Math.floor(index / size);
    const best = fullest.get(range);
    if (best === undefined || point.total > best.total) fullest.set(range, point);
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

/**
 * Share of the usable tokens below which the chart is scaled to its data, which would otherwise be a line at the
 * bottom. A choice, not measured.
 */
const FIT_BELOW_SHARE = 0.3;

/** True if the limits are so far above all measured values that the chart is better scaled to the values alone. */
export function fitsBelowLimits(points: readonly ChartPoint[]): boolean {
  const peak = Math.max(0, ...points.map((point) => point.total));
  const usable = Math.max(0, ...points.map((point) => point.usable));
  return peak < usable * FIT_BELOW_SHARE;
}

/** Share of the time axis that shows the latest state, but at least `MIN_TAIL_MS`. Choices, not measured. */
const TAIL_SHARE = 0.03;
const MIN_TAIL_MS = 1_000;

/**
 * Points along an axis. The last point is repeated at the end: each value is drawn until the next measurement, and the
 * newest one needs a width too.
 */
export function chartRows(points: readonly ChartPoint[], axis: ChartAxis): readonly ChartRow[] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return [];
  const tail = axis === 'step' ? 1 : Math.max(MIN_TAIL_MS, (last.time - first.time) * TAIL_SHARE);
  const rows = points.map((point) => ({ ...point, x: point[axis] }));
  return [...rows, { ...last, x: last[axis] + tail }];
}

/** Approximate number of lines of an axis from 0 to `top`; their distance is a round number. A choice, not measured. */
const TICKS = 4;

/** Round tick values from 0 up to `top`. */
export function roundTicks(top: number): readonly number[] {
  const rough = Math.max(1, top / TICKS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
}
