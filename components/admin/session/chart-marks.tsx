import type { MouseEvent } from 'react';
import { usePlotArea, useXAxisScale } from 'recharts';
import type { ChartAxis, ChartRow } from '#components/admin/session/chart-points';
import { type ChartMark, groupMarks, markPlace } from '#components/admin/session/chart-mark-places';
import { recordName } from '#components/admin/session/compaction-records';
import { markColour, MarkSign } from '#components/admin/session/mark-sign';
import { roundElementId } from '#components/admin/session/compaction-entry';
import { adminStrings } from '#components/admin/words';

/** Width that one sign needs; pixels. */
const ROOM = 21;
/** Distance of the marks above the plot; pixels. */
const LIFT = 17;

const say = adminStrings.chart;

interface ChartMarksProps {
  readonly marks: readonly ChartMark[];
  readonly axis: ChartAxis;
  readonly rows: readonly ChartRow[];
  readonly onMark: (compactionId: string) => void;
}

/** Prunes and compactions above the chart, each a link to its round, with a line down to what it did. */
export function ChartMarks({ marks, axis, rows, onMark }: ChartMarksProps) {
  const area = usePlotArea();
  const scale = useXAxisScale();
  if (!area || !scale) return null;
  const position = (mark: ChartMark) => scale(markPlace(mark, axis, rows)) ?? area.x;
  return groupMarks(marks, position, ROOM).map((group) => {
    const [first] = group;
    if (!first) return null;
    return (
      <g key={first.id}>
        {group.map((mark) => (
          <line
            key={mark.id}
            x1={position(mark)}
            x2={position(mark)}
            y1={area.y - LIFT}
            y2={area.y + area.height}
            strokeDasharray="1 3"
            strokeWidth="1.25"
            style={{ stroke: markColour(mark.kind) }}
          />
        ))}
        <Sign group={group} first={first} x={position(first)} y={area.y - LIFT} onMark={onMark} />
      </g>
    );
  });
}

interface SignProps {
  readonly group: readonly ChartMark[];
  readonly first: ChartMark;
  readonly x: number;
  readonly y: number;
  readonly onMark: (compactionId: string) => void;
}

function Sign({ group, first, x, y, onMark }: SignProps) {
  const label =
    group.length === 1 ? say.mark(recordName(first.record), first.step) : say.markGroup(group.length, first.step);
  const open = (event: MouseEvent) => {
    event.preventDefault();
    onMark(first.id);
  };
  return (
    <a
      href={`#${roundElementId(first.id)}`}
      aria-label={label}
      onClick={open}
      // The chart's own keys and pointer handling end here.
      onKeyDown={(event) => event.stopPropagation()}
      className="cursor-pointer rounded-full outline-offset-1"
    >
      <g transform={`translate(${String(x)} ${String(y)})`}>
        <title>{label}</title>
        <MarkSign kind={first.kind} />
        {group.length > 1 && (
          <text x="7" y="-6" fontSize="10" fontWeight="600" style={{ fill: 'var(--ink)' }}>
            {group.length}
          </text>
        )}
      </g>
    </a>
  );
}
