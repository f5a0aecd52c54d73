import { Bars, type BarRow } from '#components/admin/bench/bars';
import { type BenchCase, type BenchColumnKey, benchColumns } from '#lib/bench/bench-columns';
import type { Figures } from '#lib/bench/bench-report';
import { benchStrings } from '#lib/strings/bench';

const say = benchStrings.charts;
const charted = Object.keys(say.charted) as (keyof typeof say.charted & BenchColumnKey)[];

/** The figures that say most, each as bars: an approach is at the same place in all of them. */
export default function BenchCharts({ shown: { transcript, results } }: { readonly shown: BenchCase }) {
  return (
    <div className="grid gap-x-12 gap-y-10 md:grid-cols-2 xl:grid-cols-3">
      {charted.map((key) => {
        const column = benchColumns.find((each) => each.key === key)!;
        const rows = results.flatMap(({ approach, isOurs, figures }): BarRow[] => {
          if (!figures) return [];
          return [
            {
              name: approach,
              isOurs,
              isOver: figures.timesOver > 0,
              value: column.valueOf(figures) ?? 0,
              more: key === 'known' ? foundAgain(figures) : 0,
              text: column.textOf(figures),
            },
          ];
        });
        return (
          <Bars
            key={key}
            title={say.charted[key]}
            rows={rows}
            most={column.isShare ? 1 : null}
            limit={key === 'tokensAfter' ? { at: transcript.contextWindow, name: say.window } : null}
            moreName={key === 'known' ? say.recalled : null}
          />
        );
      })}
    </div>
  );
}

/** The share of all facts that is not there at the end but that one recall finds. */
function foundAgain({ known, recallable }: Figures): number {
  if (known.of === 0 || recallable.of === 0) return 0;
  return (1 - known.kept / known.of) * (recallable.kept / recallable.of);
}
