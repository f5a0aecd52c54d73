import { useId, useMemo, useState } from 'react';
import { Area, CartesianGrid, ComposedChart, Line, Tooltip, usePlotArea, useYAxisScale, XAxis, YAxis } from 'recharts';
import { ChartMarks } from '#components/admin/session/chart-marks';
import {
  type ChartAxis,
  type ChartPoint,
  chartRows,
  roundTicks,
  thinPoints,
} from '#components/admin/session/chart-points.ts';
import type { ChartMark } from '#components/admin/session/chart-mark-places.ts';
import { type ContextKind, contextKinds, kindOutline, KindPattern } from '#components/admin/session/context-kinds';
import { translator } from '#components/i18n.ts';
import { clockTime } from '#components/ui/times.ts';
import { compactNumber, dates, number } from '#components/format.ts';
import { ChartLegend } from '#components/admin/session/chart-legend';
import { ChartTip } from '#components/admin/session/chart-tip';

/** Most points drawn; more could not be distinguished in the width of a page. */
const MAX_POINTS = 400;
/** Factor between the highest value and the end of the vertical axis. A choice, not measured. */
const HEADROOM = 1.08;
/** Milliseconds; a longer axis shows dates instead of clock times. */
const DAY = 86_400_000;
const tick = { fontSize: 11, fill: 'var(--ink-2)' };
const dayAndMonth = dates({ day: 'numeric', month: 'short' });

interface ContextChartProps {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  readonly marks: readonly ChartMark[];
  readonly axis: ChartAxis;
  /** The vertical axis ends above the measured values, not above the window. */
  readonly isFitted: boolean;
  readonly onMark: (compactionId: string) => void;
}

/** The context's size over time, stacked by kind, with its limits, compactions and prunes. */
export function ContextChart({ points, marks, axis, isFitted, onMark }: ContextChartProps) {
  const id = useId();
  const [highlighted, setHighlighted] = useState<ContextKind | null>(null);
  const drawn = useMemo(() => thinPoints(points, MAX_POINTS, new Set(marks.map((mark) => mark.step))), [points, marks]);
  const rows = useMemo(() => [...chartRows(drawn, axis)], [drawn, axis]);
  const kinds = contextKinds.filter((kind) => points.some((point) => point[kind] > 0));
  const peak = Math.max(...points.map((point) => point.total));
  const top = HEADROOM * (isFitted ? peak : Math.max(peak, ...points.map((point) => point.window)));
  const lastStep = points.at(-1)?.step ?? 1;
  const span = (rows.at(-1)?.x ?? 0) - (rows[0]?.x ?? 0);

  return (
    <div className="grid gap-x-8 gap-y-5 lg:grid-cols-[minmax(0,1fr)_13rem]">
      <figure aria-label={t('describe')} className="min-w-0">
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
              // The end of the newest level is not a step.
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
          <figcaption className="mt-2 text-xs text-ink-3">
            {t('thinned', { shown: drawn.length, all: points.length })}
          </figcaption>
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

const t = translator('admin.chart');

/** Least distance of two lines of text, of the font size 11; pixels. */
const LINE = 13;

/** Labels the lines of usable and window at their ends, if they are visible. */
function ChartLimits({ last }: { readonly last: ChartPoint | undefined }) {
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
          {t('window', { tokens: last.window })}
        </text>
      )}
      {isInSight(usable) && (
        <text x={x} y={isTight ? usable + LINE : usable - 5}>
          {t('usable', { tokens: last.usable })}
        </text>
      )}
    </g>
  );
}
