import clsx from 'clsx';
import { useId, useMemo, useState } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  Tooltip,
  type TooltipContentProps,
  usePlotArea,
  useYAxisScale,
  XAxis,
  YAxis,
} from 'recharts';
import { ChartMarks } from '#components/admin/session/chart-marks';
import {
  type ChartAxis,
  type ChartPoint,
  type ChartRow,
  chartRows,
  roundTicks,
  thinPoints,
} from '#components/admin/session/chart-points';
import type { ChartMark } from '#components/admin/session/chart-mark-places';
import {
  type ContextKind,
  contextKinds,
  kindOutline,
  KindPattern,
  KindSwatch,
} from '#components/admin/session/context-kinds';
import { recordName } from '#components/admin/session/compaction-records';
import { type MarkKind, MarkSign } from '#components/admin/session/mark-sign';
import { adminStrings } from '#components/admin/words';
import { compactionFacts } from '#components/ui/compaction-words';
import { clockTime } from '#components/ui/times';
import { compactNumber, dates, number } from '#components/figures';

/** Most points that can be told apart in the width of a page. */
const MOST_POINTS = 400;
/** Free space above the highest value, as a share of it. */
const HEADROOM = 1.08;
const DAY = 86_400_000;
const tick = { fontSize: 11, fill: 'var(--ink-2)' };
const dayAndMonth = dates({ day: 'numeric', month: 'short' });

interface ContextChartProps {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  readonly marks: readonly ChartMark[];
  readonly axis: ChartAxis;
  /** The vertical axis ends above what was measured, not above the window. */
  readonly isFitted: boolean;
  readonly onMark: (compactionId: string) => void;
}

/** The context's size over time, stacked by kind, with its limits and what was done about it. */
export default function ContextChart({ points, marks, axis, isFitted, onMark }: ContextChartProps) {
  const id = useId();
  const [highlighted, setHighlighted] = useState<ContextKind | null>(null);
  const drawn = useMemo(
    () => thinPoints(points, MOST_POINTS, new Set(marks.map((mark) => mark.step))),
    [points, marks],
  );
  const rows = useMemo(() => [...chartRows(drawn, axis)], [drawn, axis]);
  const kinds = contextKinds.filter((kind) => points.some((point) => point[kind] > 0));
  const peak = Math.max(...points.map((point) => point.total));
  const top = HEADROOM * (isFitted ? peak : Math.max(peak, ...points.map((point) => point.window)));
  const lastStep = points.at(-1)?.step ?? 1;
  const span = (rows.at(-1)?.x ?? 0) - (rows[0]?.x ?? 0);

  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_13rem]">
      <figure aria-label={say.describe} className="min-w-0">
        <ComposedChart
          responsive
          data={rows}
          margin={{ top: 34, right: 4, bottom: 0, left: 0 }}
          style={{ width: '100%', height: 352 }}
          className="[&_.recharts-surface]:outline-offset-4"
        >
          <defs>
            {kinds.map((kind) => (
              <KindPattern key={kind} id={`${id}-${kind}`} kind={kind} />
            ))}
          </defs>
          <CartesianGrid vertical={false} syncWithTicks stroke="var(--rule)" />
          <XAxis
            dataKey="x"
            type="number"
            domain={['dataMin', 'dataMax']}
            allowDecimals={false}
            tick={tick}
            tickLine={false}
            axisLine={{ stroke: 'var(--rule-strong)' }}
            tickMargin={6}
            minTickGap={40}
            tickFormatter={(x: number) => {
              // The end of the newest level is no step.
              if (axis === 'step') return x > lastStep ? '' : number.format(x);
              return span > DAY ? dayAndMonth.format(x) : clockTime(x);
            }}
          />
          <YAxis
            width={40}
            domain={[0, top]}
            ticks={[...roundTicks(top)]}
            allowDataOverflow
            tick={tick}
            tickLine={false}
            axisLine={false}
            tickFormatter={compactNumber}
          />
          {kinds.map((kind) => (
            <Area
              key={kind}
              dataKey={kind}
              stackId="context"
              type="stepAfter"
              isAnimationActive={false}
              dot={false}
              activeDot={false}
              fill={`url(#${id}-${kind})`}
              fillOpacity={highlighted === null || highlighted === kind ? 1 : 0.18}
              stroke={kindOutline(kind)}
              strokeOpacity={highlighted === null || highlighted === kind ? 1 : 0.3}
              strokeWidth={1}
            />
          ))}
          <Line
            dataKey="usable"
            type="stepAfter"
            isAnimationActive={false}
            dot={false}
            activeDot={false}
            stroke="var(--ink)"
            strokeWidth={1.25}
            strokeDasharray="5 4"
          />
          <Line
            dataKey="window"
            type="stepAfter"
            isAnimationActive={false}
            dot={false}
            activeDot={false}
            stroke="var(--ink-2)"
            strokeWidth={1.25}
          />
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--ink)', strokeWidth: 1, strokeDasharray: '2 3' }}
            content={<ChartTip kinds={kinds} marks={marks} />}
          />
          <ChartLimits last={points.at(-1)} />
          <ChartMarks marks={marks} axis={axis} rows={rows} onMark={onMark} />
        </ComposedChart>
        {drawn.length < points.length && (
          <figcaption className="mt-2 text-xs text-ink-3">{say.thinned(drawn.length, points.length)}</figcaption>
        )}
      </figure>
      <ChartLegend
        kinds={kinds}
        last={points.at(-1)}
        marks={marks}
        highlighted={highlighted}
        onHighlight={setHighlighted}
      />
    </div>
  );
}

const say = adminStrings.chart;

const markKinds = Object.keys(say.key) as MarkKind[];

interface ChartLegendProps {
  /** Kinds from the bottom of the stack. */
  readonly kinds: readonly ContextKind[];
  readonly last: ChartPoint | undefined;
  readonly marks: readonly ChartMark[];
  readonly highlighted: ContextKind | null;
  readonly onHighlight: (kind: ContextKind | null) => void;
}

/** Legend of the colours, in the order of the stack, with the latest figures. Pressing a kind highlights it. */
export function ChartLegend({ kinds, last, marks, highlighted, onHighlight }: ChartLegendProps) {
  const present = markKinds.filter((kind) => marks.some((mark) => mark.kind === kind));
  return (
    <div className="text-xs lg:pt-8">
      <ul aria-label={say.legend} className="grid grid-cols-2 gap-x-6 sm:grid-cols-3 lg:grid-cols-1">
        {kinds.toReversed().map((kind) => (
          <li key={kind}>
            <button
              type="button"
              aria-pressed={highlighted === kind}
              onClick={() => onHighlight(highlighted === kind ? null : kind)}
              className={clsx(
                'flex w-full items-center gap-2 border-b border-rule py-1.5 text-left hover:bg-ink/4',
                highlighted !== null && highlighted !== kind && 'opacity-55',
              )}
            >
              <KindSwatch kind={kind} />
              <span className="text-ink-2">{adminStrings.kinds[kind]}</span>
              <span className="ml-auto tabular-nums">{number.format(Math.round(last?.[kind] ?? 0))}</span>
            </button>
          </li>
        ))}
        <li className="flex items-center py-1.5 font-medium">
          {say.total}
          <span className="ml-auto tabular-nums">{number.format(last?.total ?? 0)}</span>
        </li>
      </ul>
      <ul aria-hidden className="mt-3 flex flex-wrap gap-x-4 gap-y-1.5 text-ink-2">
        <li className="flex items-center gap-2">
          <svg viewBox="0 0 18 4" className="w-4.5">
            <path d="M0 2 H18" strokeWidth="1.5" strokeDasharray="5 4" style={{ stroke: 'var(--ink)' }} />
          </svg>
          {say.usableLine}
        </li>
        <li className="flex items-center gap-2">
          <svg viewBox="0 0 18 4" className="w-4.5">
            <path d="M0 2 H18" strokeWidth="1.5" style={{ stroke: 'var(--ink-2)' }} />
          </svg>
          {say.windowLine}
        </li>
        {present.map((kind) => (
          <li key={kind} className="flex items-center gap-2">
            <svg viewBox="-10 -10 20 20" className="size-4">
              <MarkSign kind={kind} />
            </svg>
            {say.key[kind]}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Least distance of two lines of text; pixels. */
const LINE = 13;

/** Names the lines of usable and window at their end, where they are in sight. */
export function ChartLimits({ last }: { readonly last: ChartPoint | undefined }) {
  const area = usePlotArea();
  const scale = useYAxisScale();
  if (!area || !scale || !last) return null;
  const usable = scale(last.usable);
  const window = scale(last.window);
  const isInSight = (y: number | undefined): y is number => y !== undefined && y >= area.y;
  const isTight = usable !== undefined && window !== undefined && usable - window < LINE;
  const x = area.x + area.width - 6;
  return (
    <g aria-hidden fontSize="11" textAnchor="end" style={{ fill: 'var(--ink)' }} className="chart-limits">
      {isInSight(window) && (
        <text x={x} y={window - 5}>
          {adminStrings.chart.window(last.window)}
        </text>
      )}
      {isInSight(usable) && (
        <text x={x} y={isTight ? usable + LINE : usable - 5}>
          {adminStrings.chart.usable(last.usable)}
        </text>
      )}
    </g>
  );
}

interface ChartTipProps extends Partial<TooltipContentProps> {
  /** Kinds from the bottom of the stack. */
  readonly kinds: readonly ContextKind[];
  readonly marks: readonly ChartMark[];
}

/** Figures of one step of the chart. */
export function ChartTip({ active, payload, kinds, marks }: ChartTipProps) {
  const row = payload?.[0]?.payload as ChartRow | undefined;
  if (!active || !row) return null;
  const events = marks.filter((mark) => mark.step === row.step);
  return (
    <div className="min-w-52 rounded-lg border border-rule bg-sheet px-3 py-2.5 text-xs shadow-sheet">
      <p className="flex justify-between gap-6">
        <span className="font-medium">{say.step(row.step)}</span>
        <span className="text-ink-2 tabular-nums">{clockTime(row.time)}</span>
      </p>
      <p className="text-ink-2">{row.modelId}</p>
      {events.map((mark) => (
        <p key={mark.id} className="text-accent">
          {recordName(mark.record)}: {compactionFacts.change(mark.record.tokensBefore, mark.record.tokensAfter)}
        </p>
      ))}
      <dl className="mt-2 border-t border-rule pt-1.5 tabular-nums">
        {kinds
          .toReversed()
          .filter((kind) => row[kind] > 0)
          .map((kind) => (
            <div key={kind} className="flex items-center gap-2 py-px">
              <KindSwatch kind={kind} />
              <dt className="text-ink-2">{adminStrings.kinds[kind]}</dt>
              <dd className="ml-auto">{number.format(Math.round(row[kind]))}</dd>
            </div>
          ))}
        <div className="mt-1 flex border-t border-rule pt-1 font-medium">
          <dt>
            {say.total}
            {row.isEstimated && <span className="font-normal text-ink-3"> {say.estimated}</span>}
          </dt>
          <dd className="ml-auto">{number.format(row.total)}</dd>
        </div>
      </dl>
    </div>
  );
}
