import type { MouseEvent } from 'react';
import { usePlotArea, useXAxisScale } from 'recharts';
import type { ChartAxis, ChartRow } from '#components/admin/session/chart-points.ts';
import { type ChartMark, groupMarks, markPlace } from '#components/admin/session/chart-mark-places.ts';
import { recordName } from '#components/admin/session/compaction-records.ts';
import { markColour, MarkSign } from '#components/admin/session/mark-sign';
import { compactionElementId } from '#components/admin/session/compaction-entry';
import { translator } from '#components/i18n.ts';

/** Width of one mark; pixels. */
const MARK_WIDTH = 21;
/** Height of the marks above the plot; pixels. */
const MARK_HEIGHT = 17;

const t = translator('admin.chart');

interface ChartMarksProps {
  readonly marks: readonly ChartMark[];
  readonly axis: ChartAxis;
  readonly rows: readonly ChartRow[];
  readonly onMark: (compactionId: string) => void;
}

/**
 * Prunes and compactions above the chart, each a link to its entry in the list below, with a line down to the step that
 * shows its effect. Marks that would overlap are one mark with a number.
 */
export function ChartMarks({ marks, axis, rows, onMark }: ChartMarksProps) {
  const area = usePlotArea();
  const scale = useXAxisScale();
  if (!area || !scale) return null;
  const position = (mark: ChartMark) => scale(markPlace(mark, axis, rows)) ?? area.x;
  return groupMarks(marks, position, MARK_WIDTH).map((group) => {
    const [first] = group;
    if (!first) return null;
    return (
      <g key={first.id}>
        {group.map((mark) => (
          <line
            key={mark.id}
            x1={position(mark)}
            x2={position(mark)}
            y1={area.y - MARK_HEIGHT}
            y2={area.y + area.height}
            strokeDasharray="1 3"
            strokeWidth="1.25"
            style={{ stroke: markColour(mark.kind) }}
          />
        ))}
        <MarkGroup group={group} first={first} x={position(first)} y={area.y - MARK_HEIGHT} onMark={onMark} />
      </g>
    );
  });
}

interface MarkGroupProps {
  readonly group: readonly ChartMark[];
  readonly first: ChartMark;
  readonly x: number;
  readonly y: number;
  readonly onMark: (compactionId: string) => void;
}

function MarkGroup({ group, first, x, y, onMark }: MarkGroupProps) {
  const label =
    group.length === 1
      ? t('mark', { what: recordName(first.record), step: first.step })
      : t('markGroup', { count: group.length, step: first.step });
  const open = (event: MouseEvent) => {
    event.preventDefault();
    onMark(first.id);
  };
  return (
    <a
      href={`#${compactionElementId(first.id)}`}
      aria-label={label}
      onClick={open}
      // Stops the chart's own key and pointer handling.
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
