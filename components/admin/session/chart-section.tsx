import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import {
  type ChartAxis,
  type ChartPoint,
  chartPoints,
  fitsBelowLimits,
} from '#components/admin/session/chart-points.ts';
import { type ChartMark, chartMarks } from '#components/admin/session/chart-mark-places.ts';
import { contextKinds } from '#components/admin/session/context-kinds';
import { recordName } from '#components/admin/session/compaction-records.ts';
import type { Report } from '#components/admin/session/use-session-report.ts';
import { translator } from '#components/i18n.ts';
import { Switch } from '#components/ui/controls/choices';
import { loadCode } from '#components/ui/load-code';
import { dates, number } from '#components/format.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { ScrollBox, Section } from '#components/ui/page-parts';
import type { ContextHistory } from '#server/core/conversation/context-report';
import { historySummary } from '#components/admin/session/history-summary.ts';

/* Loaded lazily: the chart library is the heaviest part of these pages. */
const ContextChart = dynamic(
  () => loadCode(async () => (await import('#components/admin/session/context-chart')).ContextChart),
  { ssr: false, loading: ChartSpace },
);

const t = translator('admin');
const moment = dates({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

interface ChartSectionProps {
  readonly history: Report<ContextHistory>;
  /** Called with the id of a compaction or prune that the user wants to see. */
  readonly onRound: (compactionId: string) => void;
  readonly onRetry: () => void;
}

/** The context over time: as a sentence, a chart or a table. */
export function ChartSection({ history, onRound, onRetry }: ChartSectionProps) {
  const [form, setForm] = useState<'chart' | 'table'>('chart');
  const [axis, setAxis] = useState<ChartAxis>('step');
  const [scale, setScale] = useState<'fit' | 'window' | null>(null);
  const points = useMemo(() => chartPoints(history.data?.samples ?? []), [history.data]);
  const marks = useMemo(() => chartMarks(history.data?.compactions ?? [], points), [history.data, points]);
  const upTo = scale ?? (fitsBelowLimits(points) ? 'fit' : 'window');

  const controls = points.length > 0 && (
    <div className="flex flex-wrap gap-2">
      {form === 'chart' && (
        <>
          <Switch
            label={t('chart.scale')}
            value={upTo}
            choices={{ fit: t('chart.fit'), window: t('chart.toWindow') }}
            onChange={setScale}
          />
          <Switch
            label={t('chart.axis')}
            value={axis}
            choices={{ step: t('chart.byStep'), time: t('chart.byTime') }}
            onChange={setAxis}
          />
        </>
      )}
      <Switch
        label={t('chart.view')}
        value={form}
        choices={{ chart: t('chart.asChart'), table: t('chart.asTable') }}
        onChange={setForm}
      />
    </div>
  );
  return (
    <Section title={t('chart.title')} controls={controls}>
      {history.error !== undefined && <LoadFailed title={t('chart.failed')} onRetry={onRetry} />}
      {history.data !== undefined && points.length === 0 && (
        <Notice title={t('chart.empty')} body={t('chart.emptyBody')} />
      )}
      {points.length > 0 && (
        <>
          <p className="-mt-2 mb-5 max-w-[75ch] text-sm text-ink-2">
            {historySummary(points, marks, (time) => moment.format(time))}
          </p>
          {form === 'chart' ? (
            <ContextChart points={points} marks={marks} axis={axis} isFitted={upTo === 'fit'} onMark={onRound} />
          ) : (
            <SamplesTable points={points} marks={marks} onMark={onRound} />
          )}
        </>
      )}
    </Section>
  );
}

/** Placeholder with the height of the chart. */
function ChartSpace() {
  return (
    <output className="flex h-88 items-center justify-center text-sm text-ink-3 max-lg:h-128">
      {t('chart.loading')}
    </output>
  );
}

const exactMoment = dates({ dateStyle: 'short', timeStyle: 'medium' });

interface SamplesTableProps {
  /** Oldest first. */
  readonly points: readonly ChartPoint[];
  readonly marks: readonly ChartMark[];
  readonly onMark: (compactionId: string) => void;
}

/** The chart's figures as a table, newest first. */
function SamplesTable({ points, marks, onMark }: SamplesTableProps) {
  const kinds = contextKinds.filter((kind) => points.some((point) => point[kind] > 0));
  return (
    <ScrollBox label={t('chart.table')} className="max-h-112 border-y border-rule">
      <table className="w-full border-collapse text-right text-xs whitespace-nowrap tabular-nums [&_td]:px-3 [&_th]:px-3">
        <caption className="sr-only">{t('chart.table')}</caption>
        <thead className="sticky top-0 bg-paper text-ink-2">
          <tr className="h-8 [&>th]:font-normal">
            <th scope="col">{t('chart.columns.step')}</th>
            <th scope="col" className="text-left">
              {t('chart.columns.time')}
            </th>
            <th scope="col" className="text-left">
              {t('chart.columns.event')}
            </th>
            {kinds.map((kind) => (
              <th scope="col" key={kind}>
                {t(`kinds.${kind}`)}
              </th>
            ))}
            <th scope="col">{t('chart.columns.total')}</th>
            <th scope="col" className="text-left">
              {t('chart.columns.model')}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.toReversed().map((point) => (
            <tr key={point.sampleId} className="h-8 border-t border-rule">
              <th scope="row" className="font-normal">
                {number.format(point.step)}
              </th>
              <td className="text-left">{exactMoment.format(point.time)}</td>
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
                <td key={kind}>{number.format(Math.round(point[kind]))}</td>
              ))}
              <td className="font-medium">{number.format(point.total)}</td>
              <td className="text-left text-ink-2">{point.modelId}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
