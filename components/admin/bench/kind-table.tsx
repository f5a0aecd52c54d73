import { ScrollBox } from '#components/admin/scroll-box';
import { allKinds, type BenchCase, NOTHING, shareText } from '#lib/bench/bench-columns';
import { needleKinds, type Share } from '#lib/bench/bench-report';
import { benchStrings } from '#lib/strings/bench';

const say = benchStrings.kindTable;

/** What was kept of each kind of fact, as it is counted. */
export function KindTable({ shown: { transcript, results } }: { readonly shown: BenchCase }) {
  const label = say.label(benchStrings.caseName(transcript.name, transcript.contextWindow));
  return (
    <ScrollBox label={label} className="border-y border-rule">
      <table className="w-full border-collapse text-right text-xs tabular-nums [&_td]:px-3 [&_th]:px-3">
        <caption className="sr-only">{label}</caption>
        <thead className="text-ink-2">
          <tr className="[&>th]:py-2 [&>th]:font-normal">
            <th scope="col" className="sticky left-0 bg-paper text-left">
              {benchStrings.table.approach}
            </th>
            {needleKinds.map((kind) => (
              <th scope="col" key={kind}>
                {benchStrings.kinds[kind]}
              </th>
            ))}
            <th scope="col">{say.all}</th>
          </tr>
        </thead>
        <tbody>
          {results.map(
            ({ approach, figures }) =>
              figures && (
                <tr key={approach} className="border-t border-rule whitespace-nowrap [&>*]:py-2">
                  <th
                    scope="row"
                    className="sticky left-0 min-w-32 bg-paper text-left font-normal whitespace-normal sm:whitespace-nowrap"
                  >
                    {approach}
                  </th>
                  {needleKinds.map((kind) => (
                    <td key={kind}>{countText(figures.retained[kind])}</td>
                  ))}
                  <td>{shareText(allKinds(figures))}</td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function countText({ kept, of }: Share): string {
  return of === 0 ? NOTHING : say.of(kept, of);
}
