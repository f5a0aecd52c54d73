import type { ChartPoint } from '#components/admin/session/chart-points.ts';
import type { ChartMark } from '#components/admin/session/chart-mark-places.ts';
import { contextKinds } from '#components/admin/session/context-kinds';
import { isPrune } from '#components/admin/session/compaction-records.ts';
import { translator } from '#components/i18n.ts';

const t = translator('admin');

/**
 * Describes the context over time in sentences: the current state, its largest part, the peak, and the compactions.
 * Empty without points.
 * @param points oldest first, not thinned
 * @param formatTime formats a time (epoch ms) for the reader
 */
export function historySummary(
  points: readonly ChartPoint[],
  marks: readonly ChartMark[],
  formatTime: (time: number) => string,
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return '';
  return [
    t('summary.range', { count: points.length, first: formatTime(first.time), last: formatTime(last.time) }),
    nowWords(last),
    peakWords(points, last),
    eventWords(marks),
  ]
    .filter(Boolean)
    .join(' ');
}

function nowWords(last: ChartPoint): string {
  const now = t('summary.now', {
    current: last.total,
    usable: last.usable,
    value: Math.round((last.total / last.usable) * 100),
  });
  const largest = contextKinds.toSorted((a, b) => last[b] - last[a])[0];
  if (largest === undefined || last[largest] === 0) return `${now}.`;

  const share = Math.round((last[largest] / last.total) * 100);
  return now + t('summary.most', { kind: largest, share });
}

function peakWords(points: readonly ChartPoint[], last: ChartPoint): string {
  const peak = points.reduce((best, point) => (point.total > best.total ? point : best), last);
  return peak === last ? '' : t('summary.peak', { tokens: peak.total, step: peak.step });
}

function eventWords(marks: readonly ChartMark[]): string {
  const inEffect = marks.filter(({ kind }) => kind === 'compaction' || kind === 'prune');
  const prunes = inEffect.filter(({ record }) => isPrune(record)).length;
  const saved = inEffect.reduce((sum, { record }) => sum + record.tokensBefore - record.tokensAfter, 0);
  const failures = marks.filter(({ kind }) => kind === 'failed').length;
  return [
    inEffect.length > 0
      ? t('summary.events', { compactions: inEffect.length - prunes, prunes, saved: Math.max(0, saved) })
      : '',
    failures > 0 ? t('summary.failures', { count: failures }) : '',
  ]
    .filter(Boolean)
    .join(' ');
}
