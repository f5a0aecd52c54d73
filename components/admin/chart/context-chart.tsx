import { useId, useMemo, useState } from 'react';
import { Area, CartesianGrid, ComposedChart, Line, Tooltip, XAxis, YAxis } from 'recharts';
import { ChartLegend } from '#components/admin/chart/chart-legend';
import { ChartLimits } from '#components/admin/chart/chart-limits';
import { ChartMarks } from '#components/admin/chart/chart-marks';
import { ChartTip } from '#components/admin/chart/chart-tip';
import { KindPattern, kindOutline } from '#components/admin/chart/kind-pattern';
import type { ChartMark } from '#lib/admin/chart-marks';
import { type ChartPoint, thinPoints } from '#lib/admin/chart-points';
import { type ChartAxis, chartRows, roundTicks } from '#lib/admin/chart-rows';
import { type ContextKind, contextKinds } from '#lib/admin/context-kinds';
import { clockTime, compactNumber } from '#lib/ui/format';
import { adminStrings } from '#lib/strings/admin';

/** More could not be told apart in the width of a page. */
const MOST_POINTS = 400;
/** Free space above the highest value, as a share of it. */
const HEADROOM = 1.08;
const DAY = 86_400_000;
const tick = { fontSize: 11, fill: 'var(--ink-2)' };
const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

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
              if (axis === 'step') return x > lastStep ? '' : adminStrings.number(x);
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
