import type { ContextSample } from '#server/core/context-report';
import type { CompactionRecord } from '#server/core/compactions';
import { markKind, type MarkKind } from '#components/admin/session/compaction-records';
import { useId } from 'react';
import type { ContextBreakdown } from '#server/core/events';

export type ContextKind = keyof ContextBreakdown;

/** The kinds of content as they are stacked, from the bottom: what is always there, what stands for the past, the rest. */
export const contextKinds = [
  'instructions',
  'tools',
  'summary',
  'situation',
  'user',
  'assistant',
  'reasoning',
  'toolCalls',
  'toolResults',
  'media',
] as const satisfies readonly ContextKind[];

/** The kind's colour in the style sheet. */
export function kindColour(kind: ContextKind): string {
  return `var(--kind-${kind})`;
}

/** A kind's colour and texture beside its name. */
export function KindSwatch({ kind }: { readonly kind: ContextKind }) {
  const id = useId();
  return (
    <svg aria-hidden viewBox="0 0 12 12" className="size-3 shrink-0">
      <defs>
        <KindPattern id={id} kind={kind} />
      </defs>
      <rect x="0.5" y="0.5" width="11" height="11" rx="2" fill={`url(#${id})`} style={{ stroke: kindOutline(kind) }} />
    </svg>
  );
}

/** Lines within a tile of 6 by 6; kinds without are plain. */
const textures: Partial<Record<ContextKind, string>> = {
  tools: 'M-1 1 L1 -1 M0 6 L6 0 M5 7 L7 5',
  summary: 'M0 0 L6 6 M6 0 L0 6',
  assistant: 'M3 0 V6',
  reasoning: 'M1.5 1.5 h1 M4.5 4.5 h1',
  toolCalls: 'M-1 5 L1 7 M0 0 L6 6 M5 -1 L7 1',
  media: 'M0 3 H6',
  situation: 'M1.5 4.5 h1 M4.5 1.5 h1',
};

/** A kind's colour with its texture, as an SVG pattern: kinds differ by more than their hue. */
export function KindPattern({ id, kind }: { readonly id: string; readonly kind: ContextKind }) {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse">
      <rect width="6" height="6" style={{ fill: kindColour(kind) }} />
      {textures[kind] && (
        <path d={textures[kind]} style={{ stroke: 'var(--sheet)' }} strokeWidth="1" strokeOpacity="0.5" fill="none" />
      )}
    </pattern>
  );
}

/** Outline of a kind's area: light fills stand out from the paper by it. */
export function kindOutline(kind: ContextKind): string {
  return `color-mix(in oklab, ${kindColour(kind)} 60%, var(--ink))`;
}

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

/** A prune or compaction in the chart. */
export interface ChartMark {
  readonly id: string;
  readonly kind: MarkKind;
  readonly record: CompactionRecord;
  /** The first step that was measured with it done; of the newest, the last step there is. */
  readonly step: number;
  /** Epoch milliseconds. */
  readonly time: number;
}

/**
 * Puts records at the steps they belong to, oldest first.
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

/**
 * Marks that would cover each other, together.
 * @param position where a mark lies, in pixels
 * @param room what one mark needs, in pixels
 */
export function groupMarks(
  marks: readonly ChartMark[],
  position: (mark: ChartMark) => number,
  room: number,
): readonly (readonly ChartMark[])[] {
  const groups: ChartMark[][] = [];
  for (const mark of marks) {
    const group = groups.at(-1);
    const first = group?.[0];
    if (group && first && position(mark) - position(first) < room) group.push(mark);
    else groups.push([mark]);
  }
  return groups;
}
