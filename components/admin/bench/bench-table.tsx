import clsx from 'clsx';
import { ScrollBox } from '#components/admin/scroll-box';
import { type BenchCase, benchColumns, bestOf, NOTHING } from '#lib/bench/bench-columns';
import { benchStrings } from '#lib/strings/bench';

const say = benchStrings.table;

/** Every figure of a case: a row per approach. */
export function BenchTable({ shown: { transcript, results } }: { readonly shown: BenchCase }) {
  const best = new Map(benchColumns.map((column) => [column, bestOf(column, results)]));
  const label = say.label(benchStrings.caseName(transcript.name, transcript.contextWindow));
  return (
    <ScrollBox label={label} className="border-y border-rule">
      <table className="w-full border-collapse text-right text-xs tabular-nums [&_td]:px-2 [&_th]:px-2">
        <caption className="sr-only">{label}</caption>
        <thead className="text-ink-2">
          <tr className="align-bottom [&>th]:py-2 [&>th]:font-normal">
            <th scope="col" className="sticky left-0 bg-paper text-left">
              {say.approach}
            </th>
            {benchColumns.map(({ key }) => (
              <th scope="col" key={key} title={benchStrings.columns[key].means} className="min-w-17">
                {benchStrings.columns[key].name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {results.map((result) => {
            const { approach, isOurs, figures, error } = result;
            return (
              <tr key={approach} className="border-t border-rule [&>*]:py-2">
                <th
                  scope="row"
                  className={clsx(
                    'sticky left-0 min-w-32 bg-paper text-left font-normal sm:whitespace-nowrap',
                    isOurs && 'text-accent',
                  )}
                >
                  {approach}
                </th>
                {figures ? (
                  benchColumns.map((column) => (
                    <td key={column.key} className="whitespace-nowrap">
                      {best.get(column)?.has(result) ? (
                        <strong className="font-semibold">{column.textOf(figures)}</strong>
                      ) : (
                        column.textOf(figures)
                      )}
                    </td>
                  ))
                ) : (
                  <td colSpan={benchColumns.length} className="text-left text-red">
                    {say.failed(error ?? NOTHING)}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}
