import { usePlotArea, useYAxisScale } from 'recharts';
import type { ChartPoint } from '#lib/admin/chart-points';
import { adminStrings } from '#lib/strings/admin';

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
