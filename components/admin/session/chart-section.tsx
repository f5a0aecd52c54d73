import { useMemo, useState } from 'react';
import { type ChartAxis, type ChartPoint, chartPoints, fitsBelowLimits } from '#components/admin/session/chart-points';
import { type ChartMark, chartMarks } from '#components/admin/session/chart-mark-places';
import { contextKinds } from '#components/admin/session/context-kinds';
import { isPrune, recordName } from '#components/admin/session/compaction-records';
import type { Report } from '#components/admin/session/use-session-report';
import { adminStrings } from '#components/admin/words';
import { Switch } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { dates, number } from '#components/figures';
import { LoadFailed, Notice } from '#components/ui/notices';
import { ScrollBox, Section } from '#components/ui/page-parts';
import type { ContextHistory } from '#server/core/context-report';

/* The chart library is the heaviest part of these pages. */
const ContextChart = fetchedLater(
  async () => (await import('#components/admin/session/context-chart')).default,
  <ChartSpace />,
);

/** Fetches the code of the chart. */
export async function fetchChart(): Promise<true> {
  await ContextChart.fetch();
  return true;
}

const say = adminStrings.chart;
const moment = dates({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

interface ChartSectionProps {
  readonly history: Report<ContextHistory>;
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
          <Switch label={say.scale} value={upTo} choices={{ fit: say.fit, window: say.toWindow }} onChange={setScale} />
          <Switch label={say.axis} value={axis} choices={{ step: say.byStep, time: say.byTime }} onChange={setAxis} />
        </>
      )}
      <Switch label={say.view} value={form} choices={{ chart: say.asChart, table: say.asTable }} onChange={setForm} />
    </div>
  );
  return (
    <Section title={say.title} controls={controls}>
      {history.error !== undefined && <LoadFailed title={say.failed} onRetry={onRetry} />}
      {history.data !== undefined && points.length === 0 && <Notice title={say.empty} body={say.emptyBody} />}
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
    <output className="flex h-88 items-center justify-center text-sm text-ink-3 max-lg:h-128">{say.loading}</output>
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

const summaryWords = adminStrings.summary;

/**
 * The chart in words: the current state, its largest part, the peak, and what was compacted.
 * @param points oldest first, not thinned
 * @param formatTime writes a time (epoch ms) for the reader
 */
export function historySummary(
  points: readonly ChartPoint[],
  marks: readonly ChartMark[],
  formatTime: (time: number) => string,
): string {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return '';
  return [
    summaryWords.range(points.length, formatTime(first.time), formatTime(last.time)),
    nowWords(last),
    peakWords(points, last),
    eventWords(marks),
  ]
    .filter(Boolean)
    .join(' ');
}

function nowWords(last: ChartPoint): string {
  const now = summaryWords.now(last.total, last.usable, (last.total / last.usable) * 100);
  const largest = contextKinds.toSorted((a, b) => last[b] - last[a])[0];
  if (largest === undefined || last[largest] === 0) return `${now}.`;
  return now + summaryWords.most(adminStrings.kinds[largest], (last[largest] / last.total) * 100);
}

function peakWords(points: readonly ChartPoint[], last: ChartPoint): string {
  const peak = points.reduce((best, point) => (point.total > best.total ? point : best), last);
  return peak === last ? '' : summaryWords.peak(peak.total, peak.step);
}

function eventWords(marks: readonly ChartMark[]): string {
  const standing = marks.filter(({ kind }) => kind === 'compaction' || kind === 'prune');
  const prunes = standing.filter(({ record }) => isPrune(record)).length;
  const saved = standing.reduce((sum, { record }) => sum + record.tokensBefore - record.tokensAfter, 0);
  const failures = marks.filter(({ kind }) => kind === 'failed').length;
  return [
    standing.length > 0 ? summaryWords.events(standing.length - prunes, prunes, Math.max(0, saved)) : '',
    failures > 0 ? summaryWords.failures(failures) : '',
  ]
    .filter(Boolean)
    .join(' ');
}
