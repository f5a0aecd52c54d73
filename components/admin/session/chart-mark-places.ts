import type { ChartAxis, ChartPoint, ChartRow } from '#components/admin/session/chart-points.ts';
import { markKind, type MarkKind } from '#components/admin/session/mark-sign';
import type { CompactionRecord } from '#server/core/conversation/compactions';

/** A prune or compaction in the chart. */
export interface ChartMark {
  readonly id: string;
  readonly kind: MarkKind;
  readonly record: CompactionRecord;
  /** The first step measured after the record; the last step if none was measured after it. */
  readonly step: number;
  /** Epoch milliseconds. */
  readonly time: number;
}

/**
 * Makes a mark of each record, oldest first.
 * @param points in order of time
 */
export function chartMarks(records: readonly CompactionRecord[], points: readonly ChartPoint[]): readonly ChartMark[] {
  const last = points.at(-1)?.step ?? 1;
  return records
    .map((record) => ({
      id: record.id,
      kind: markKind(record),
      record,
      step: points.find((point) => point.time >= record.createdAt)?.step ?? last,
      time: record.createdAt,
    }))
    .toSorted((a, b) => a.time - b.time);
}

/** Value of a mark on the horizontal axis (a step or a time), limited to the drawn range. */
export function markPlace(mark: ChartMark, axis: ChartAxis, rows: readonly ChartRow[]): number {
  const [from, to] = [rows[0]?.x ?? 0, rows.at(-1)?.x ?? 0];
  return Math.min(to, Math.max(from, axis === 'step' ? mark.step : mark.time));
}

/**
 * Groups marks that would overlap.
 * @param position position of a mark, in pixels
 * @param width width of one mark, in pixels
 */
export function groupMarks(
  marks: readonly ChartMark[],
  position: (mark: ChartMark) => number,
  width: number,
): readonly (readonly ChartMark[])[] {
  const groups: ChartMark[][] = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (group && first && position(mark) - position(first) < width) group.push(mark);
    else groups.push([mark]);
  }
  return groups;
}
