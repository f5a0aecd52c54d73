import type { TooltipContentProps } from 'recharts';
import type { ChartRow } from '#components/admin/session/chart-points.ts';
import type { ChartMark } from '#components/admin/session/chart-mark-places.ts';
import { type ContextKind, KindSwatch } from '#components/admin/session/context-kinds';
import { recordName } from '#components/admin/session/compaction-records.ts';
import { translator } from '#components/i18n.ts';
import { clockTime } from '#components/ui/times.ts';
import { number } from '#components/format.ts';

const t = translator('admin');
const tCompactionFacts = translator('compactionFacts');

interface ChartTipProps extends Partial<TooltipContentProps> {
  /** Kinds from the bottom of the stack. */
  readonly kinds: readonly ContextKind[];
  readonly marks: readonly ChartMark[];
}

/** Figures of one step of the chart. */
export function ChartTip({ active, payload, kinds, marks }: ChartTipProps) {
  const row = payload?.[0]?.payload as ChartRow | undefined;
  if (!active || !row) return null;
  const events = marks.filter((mark) => mark.step === row.step);
  return (
    <div className="min-w-52 rounded-lg border border-rule bg-sheet px-3 py-2.5 text-xs shadow-sheet">
      <p className="flex justify-between gap-6">
        <span className="font-medium">{t('chart.step', { step: row.step })}</span>
        <span className="text-ink-2 tabular-nums">{clockTime(row.time)}</span>
      </p>
      <p className="text-ink-2">{row.modelId}</p>
      {events.map((mark) => (
        <p key={mark.id} className="text-accent">
          {recordName(mark.record)}:{' '}
          {tCompactionFacts('change', { before: mark.record.tokensBefore, after: mark.record.tokensAfter })}
        </p>
      ))}
      <dl className="mt-2 border-t border-rule pt-1.5 tabular-nums">
        {kinds
          .toReversed()
          .filter((kind) => row[kind] > 0)
          .map((kind) => (
            <div key={kind} className="flex items-center gap-2 py-px">
              <KindSwatch kind={kind} />
              <dt className="text-ink-2">{t(`kinds.${kind}`)}</dt>
              <dd className="ml-auto">{number.format(Math.round(row[kind]))}</dd>
            </div>
          ))}
        <div className="mt-1 flex border-t border-rule pt-1 font-medium">
          <dt>
            {t('chart.total')}
            {row.isEstimated && <span className="font-normal text-ink-3"> {t('chart.estimated')}</span>}
          </dt>
          <dd className="ml-auto">{number.format(row.total)}</dd>
        </div>
      </dl>
    </div>
  );
}
