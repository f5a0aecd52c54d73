import { useId } from 'react';
import { Bar, BarChart, type BarShapeProps, usePlotArea, useXAxisScale, XAxis, YAxis } from 'recharts';
import { percent } from '#lib/bench/bench-columns';
import { benchStrings } from '#lib/strings/bench';

/** Height of a name with its bar; pixels. */
const ROW = 36;
const BAR = 10;
/** How far below the middle of its row a bar is, under its name. */
const DROP = 4;

/** One approach in a chart. */
export interface BarRow {
  readonly name: string;
  readonly isOurs: boolean;
  /** It went over the window. */
  readonly isOver: boolean;
  readonly value: number;
  /** Drawn on, paler; 0 for nothing. */
  readonly more: number;
  readonly text: string;
}

interface BarsProps {
  readonly title: string;
  readonly rows: readonly BarRow[];
  /** Where the axis ends; null: at the longest bar. */
  readonly most: number | null;
  readonly limit: { readonly at: number; readonly name: string } | null;
  /** What `more` is. */
  readonly moreName: string | null;
}

/** Bars under their names, with their figures at the end of the line. */
export function Bars({ title, rows, most, limit, moreName }: BarsProps) {
  const id = useId();
  const longest = Math.max(limit?.at ?? 0, ...rows.map(({ value, more }) => value + more));
  return (
    <figure aria-label={benchStrings.charts.describe(title)} className="min-w-0">
      <figcaption className="mb-1 flex flex-wrap items-center justify-between gap-x-4 text-sm font-medium">
        {title}
        {moreName !== null && rows.some(({ more }) => more > 0) && (
          <span className="flex items-center gap-1.5 text-xs font-normal text-ink-2">
            <svg aria-hidden viewBox="0 0 12 12" className="size-3">
              <rect width="12" height="12" fill={`url(#${id})`} />
            </svg>
            {moreName}
          </span>
        )}
      </figcaption>
      <BarChart
        responsive
        layout="vertical"
        data={[...rows]}
        margin={{ top: limit ? 16 : 4, right: 1, bottom: 0, left: 1 }}
        style={{ width: '100%', height: rows.length * ROW + (limit ? 20 : 8) }}
        accessibilityLayer={false}
      >
        <defs>
          <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse">
            <path d="M-1 1 L1 -1 M0 5 L5 0 M4 6 L6 4" strokeWidth="1.5" style={{ stroke: 'var(--accent)' }} />
          </pattern>
        </defs>
        <XAxis type="number" hide domain={[0, most ?? (longest || 1)]} />
        <YAxis type="category" dataKey="name" hide />
        <Bar dataKey="value" stackId="one" barSize={BAR} isAnimationActive={false} shape={Plain} />
        <Bar
          dataKey="more"
          stackId="one"
          barSize={BAR}
          isAnimationActive={false}
          fill={`url(#${id})`}
          shape={Dropped}
        />
        <Names rows={rows} />
        {limit && <Limit {...limit} rows={rows.length} />}
      </BarChart>
    </figure>
  );
}

function Dropped({ x, y, width, height, fill }: BarShapeProps) {
  return <rect x={x} y={y + DROP} width={width} height={height} fill={fill} />;
}

/** Hollow where it went over the window. */
function Plain({ x, y, width, height, payload }: BarShapeProps) {
  const { isOurs, isOver } = payload as BarRow;
  const colour = isOurs ? 'var(--accent)' : 'var(--ink-3)';
  if (!isOver) return <rect x={x} y={y + DROP} width={width} height={height} style={{ fill: colour }} />;
  return (
    <rect
      x={x + 0.5}
      y={y + DROP + 0.5}
      width={Math.max(0, width - 1)}
      height={height - 1}
      fill="none"
      style={{ stroke: colour }}
    />
  );
}

function Names({ rows }: { readonly rows: readonly BarRow[] }) {
  const area = usePlotArea();
  if (!area) return null;
  const height = area.height / rows.length;
  return rows.map(({ name, isOurs, text, more }, index) => (
    <g key={name} fontSize="12" style={{ fill: isOurs ? 'var(--ink)' : 'var(--ink-2)' }}>
      <text x={area.x} y={area.y + index * height + 10}>
        {name}
      </text>
      <text x={area.x + area.width} y={area.y + index * height + 10} textAnchor="end" className="tabular-nums">
        {more > 0 ? benchStrings.charts.withMore(text, percent(more)) : text}
      </text>
    </g>
  ));
}

/** A stroke across each bar, or beyond its end: a line through all of them would strike the names out. */
function Limit({ at, name, rows }: { readonly at: number; readonly name: string; readonly rows: number }) {
  const area = usePlotArea();
  const x = useXAxisScale()?.(at);
  if (!area || x === undefined) return null;
  const height = area.height / rows;
  return (
    <g style={{ stroke: 'var(--ink)' }}>
      {Array.from({ length: rows }, (_, index) => {
        const middle = area.y + (index + 0.5) * height + DROP;
        return <line key={index} x1={x} x2={x} y1={middle - BAR / 2 - 2} y2={middle + BAR / 2 + 2} strokeWidth="1.5" />;
      })}
      <text x={x} y={area.y - 5} textAnchor="end" fontSize="11" stroke="none" style={{ fill: 'var(--ink-2)' }}>
        {name}
      </text>
    </g>
  );
}
