import { ScrollBox } from '#components/admin/scroll-box';
import type { ChartMark } from '#lib/admin/chart-marks';
import type { ChartPoint } from '#lib/admin/chart-points';
import { recordName } from '#lib/admin/compaction-words';
import { contextKinds } from '#lib/admin/context-kinds';
import { adminStrings } from '#lib/strings/admin';

const say = adminStrings.chart;
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'short', timeStyle: 'medium' });

interface SamplesTableProps {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  readonly marks: readonly ChartMark[];
  readonly onMark: (compactionId: string) => void;
}

/** The chart's figures as a table, newest first. */
export function SamplesTable({ points, marks, onMark }: SamplesTableProps) {
  const kinds = contextKinds.filter((kind) => points.some((point) => point[kind] > 0));
  return (
    <ScrollBox label={say.table} className="max-h-112 border-y border-rule">
      <table className="w-full border-collapse text-right text-xs whitespace-nowrap tabular-nums [&_td]:px-3 [&_th]:px-3">
        <caption className="sr-only">{say.table}</caption>
        <thead className="sticky top-0 bg-paper text-ink-2">
          <tr className="h-8 [&>th]:font-normal">
            <th scope="col">{say.columns.step}</th>
            <th scope="col" className="text-left">
              {say.columns.time}
            </th>
            <th scope="col" className="text-left">
              {say.columns.event}
            </th>
            {kinds.map((kind) => (
              <th scope="col" key={kind}>
                {adminStrings.kinds[kind]}
              </th>
            ))}
            <th scope="col">{say.columns.total}</th>
            <th scope="col" className="text-left">
              {say.columns.model}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.sampleId} className="h-8 border-t border-rule">
              <th scope="row" className="font-normal">
                {adminStrings.number(point.step)}
              </th>
              <td className="text-left">{moment.format(point.time)}</td>
              <td className="text-left">
                {marks
                  .filter((mark) => mark.step === point.step)
                  .map((mark) => (
                    <button
                      key={mark.id}
                      type="button"
                      onClick={() => onMark(mark.id)}
                      className="mr-2 text-accent underline underline-offset-2"
                    >
                      {recordName(mark.record)}
                    </button>
                  ))}
              </td>
              {kinds.map((kind) => (
                <td key={kind}>{adminStrings.number(Math.round(point[kind]))}</td>
              ))}
              <td className="font-medium">{adminStrings.number(point.total)}</td>
              <td className="text-left text-ink-2">{point.modelId}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
