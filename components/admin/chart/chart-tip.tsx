import type { TooltipContentProps } from 'recharts';
import { KindSwatch } from '#components/admin/chart/kind-swatch';
import type { ChartMark } from '#lib/admin/chart-marks';
import type { ChartRow } from '#lib/admin/chart-rows';
import { recordName } from '#lib/admin/compaction-words';
import type { ContextKind } from '#lib/admin/context-kinds';
import { clockTime } from '#lib/ui/format';
import { adminStrings } from '#lib/strings/admin';

const say = adminStrings.chart;

interface ChartTipProps extends Partial<TooltipContentProps> {
  /** From the bottom of the stack. */
  readonly kinds: readonly ContextKind[];
  readonly marks: readonly ChartMark[];
}

/** One step of the chart in figures. */
export function ChartTip({ active, payload, kinds, marks }: ChartTipProps) {
  const row = payload?.[0]?.payload as ChartRow | undefined;
  if (!active || !row) return null;
  const events = marks.filter((mark) => mark.step === row.step);
  return (
    <div className="min-w-52 rounded-lg border border-rule bg-sheet px-3 py-2.5 text-xs shadow-sheet">
      <p className="flex justify-between gap-6">
        <span className="font-medium">{say.step(row.step)}</span>
        <span className="text-ink-2 tabular-nums">{clockTime(row.time)}</span>
      </p>
      <p className="text-ink-2">{row.modelId}</p>
      {events.map((mark) => (
        <p key={mark.id} className="text-accent">
          {recordName(mark.record)}: {adminStrings.rounds.change(mark.record.tokensBefore, mark.record.tokensAfter)}
        </p>
      ))}
      <dl className="mt-2 border-t border-rule pt-1.5 tabular-nums">
        {kinds
          .toReversed()
          .filter((kind) => row[kind] > 0)
          .map((kind) => (
            <div key={kind} className="flex items-center gap-2 py-px">
              <KindSwatch kind={kind} />
              <dt className="text-ink-2">{adminStrings.kinds[kind]}</dt>
              <dd className="ml-auto">{adminStrings.number(Math.round(row[kind]))}</dd>
            </div>
          ))}
        <div className="mt-1 flex border-t border-rule pt-1 font-medium">
          <dt>
            {say.total}
            {row.isEstimated && <span className="font-normal text-ink-3"> {say.estimated}</span>}
          </dt>
          <dd className="ml-auto">{adminStrings.number(row.total)}</dd>
        </div>
      </dl>
    </div>
  );
}
