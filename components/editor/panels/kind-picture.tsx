import { sketches } from '#sections/kinds';
import type { SectionType } from '#server/core/site/content';
import type { SketchRow, SketchShape } from '#server/core/sections/section-definition';

/** Size of the drawing, its margin, and the distance between shapes; units of the drawing. */
const WIDTH = 96;
const HEIGHT = 60;
const MARGIN = 8;
const GAP = 4;

/**
 * Each shape: its height and corner radius (`round`) in units of the drawing, the share of the width that it takes if
 * it is alone in its row, and its colours as CSS classes.
 */
const shapes: Readonly<
  Record<
    SketchShape,
    { readonly height: number; readonly share: number; readonly className: string; readonly round: number }
  >
> = {
  title: { height: 6, share: 0.6, className: 'fill-ink-2', round: 1.5 },
  line: { height: 3, share: 1, className: 'fill-rule-strong', round: 1.5 },
  short: { height: 3, share: 0.7, className: 'fill-rule-strong', round: 1.5 },
  button: { height: 8, share: 0.32, className: 'fill-accent', round: 2.5 },
  picture: { height: 22, share: 1, className: 'fill-accent-wash stroke-accent', round: 2 },
  box: { height: 16, share: 1, className: 'fill-rule', round: 2 },
  field: { height: 8, share: 1, className: 'fill-sheet stroke-rule-strong', round: 1.5 },
  quote: { height: 9, share: 0.85, className: 'fill-ink-2', round: 3 },
  fold: { height: 7, share: 1, className: 'fill-rule', round: 1.5 },
  code: { height: 5, share: 0.9, className: 'fill-rule-strong', round: 0 },
};

/** Small drawing of a kind of section, in the colours of the theme. */
export function KindPicture({ type, className }: { readonly type: SectionType; readonly className?: string }) {
  const rows: readonly SketchRow[] = sketches[type];
  const heights = rows.map(heightOf);
  const total = heights.reduce((sum, height) => sum + height + GAP, -GAP);
  const tops = heights.map((_, index) =>
    heights.slice(0, index).reduce((top, height) => top + height + GAP, (HEIGHT - total) / 2),
  );
  return (
    <svg viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} aria-hidden className={className}>
      {rows.flatMap((row, place) =>
        shapesOf(row).map((shape, index, all) => {
          const { height, share, className: colours, round } = shapes[shape];
          const width = (WIDTH - 2 * MARGIN - GAP * (all.length - 1)) / all.length;
          return (
            <rect
              key={`${String(place)} ${String(index)}`}
              x={MARGIN + index * (width + GAP)}
              y={tops[place]}
              width={all.length === 1 ? width * share : width}
              height={height}
              rx={round}
              strokeWidth={0.75}
              className={colours}
            />
          );
        }),
      )}
    </svg>
  );
}

function shapesOf(row: SketchRow): readonly SketchShape[] {
  return typeof row === 'string' ? [row] : row;
}

function heightOf(row: SketchRow): number {
  return Math.max(...shapesOf(row).map((shape) => shapes[shape].height));
}
