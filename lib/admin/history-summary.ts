import type { ChartMark } from '#lib/admin/chart-marks';
import type { ChartPoint } from '#lib/admin/chart-points';
import { contextKinds } from '#lib/admin/context-kinds';
import { isPrune } from '#lib/admin/compaction-words';
import { adminStrings } from '#lib/strings/admin';

const say = adminStrings.summary;

/**
 * What the chart shows, in words: the state now, what it is made of, the peak, and what was done.
 * @param points oldest first, not thinned
 * @param formatTime writes a time (epoch ms) for the reader
 */
export function historySummary(
  points: readonly ChartPoint[],
  marks: readonly ChartMark[],
  formatTime: (time: number) => string,
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return '';
  return [
    say.range(points.length, formatTime(first.time), formatTime(last.time)),
    nowWords(last),
    peakWords(points, last),
    eventWords(marks),
  ]
    .filter(Boolean)
    .join(' ');
}

function nowWords(last: ChartPoint): string {
  const now = say.now(last.total, last.usable, (last.total / last.usable) * 100);
  const largest = contextKinds.toSorted((a, b) => last[b] - last[a])[0];
  if (largest === undefined || last[largest] === 0) return `${now}.`;
  return now + say.most(adminStrings.kinds[largest], (last[largest] / last.total) * 100);
}

function peakWords(points: readonly ChartPoint[], last: ChartPoint): string {
  const peak = points.reduce((best, point) => (point.total > best.total ? point : best), last);
  return peak === last ? '' : say.peak(peak.total, peak.step);
}

function eventWords(marks: readonly ChartMark[]): string {
  const standing = marks.filter(({ kind }) => kind === 'compaction' || kind === 'prune');
  const prunes = standing.filter(({ record }) => isPrune(record)).length;
  const saved = standing.reduce((sum, { record }) => sum + record.tokensBefore - record.tokensAfter, 0);
  const failures = marks.filter(({ kind }) => kind === 'failed').length;
  return [
    standing.length > 0 ? say.events(standing.length - prunes, prunes, Math.max(0, saved)) : '',
    failures > 0 ? say.failures(failures) : '',
  ]
    .filter(Boolean)
    .join(' ');
}
