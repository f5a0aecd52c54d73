import type { ChartMark } from '#components/admin/session/compaction-marks';
import type { ChartPoint } from '#components/admin/session/chart-points';

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

/** Place of a mark on an axis, within the drawn range. */
export function markPlace(mark: ChartMark, axis: ChartAxis, rows: readonly ChartRow[]): number {
  const [from, to] = [rows[0]?.x ?? 0, rows.at(-1)?.x ?? 0];
  return Math.min(to, Math.max(from, axis === 'step' ? mark.step : mark.time));
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
