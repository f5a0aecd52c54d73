import { useMemo, useState } from 'react';
import { SamplesTable } from '#components/admin/chart/samples-table';
import { Section } from '#components/admin/section';
import { Switch } from '#components/admin/switch';
import { fetchedLater } from '#components/ui/fetched-later';
import { Notice } from '#components/ui/notice';
import { chartMarks } from '#lib/admin/chart-marks';
import { chartPoints, fitsBelowLimits } from '#lib/admin/chart-points';
import type { ChartAxis } from '#lib/admin/chart-rows';
import { historySummary } from '#lib/admin/history-summary';
import type { Report } from '#lib/admin/use-session-report';
import { adminStrings } from '#lib/strings/admin';
import type { ContextHistory } from '#server/core/context-report';

/* The chart library is the heaviest part of these pages. */
const ContextChart = fetchedLater(
  async () => (await import('#components/admin/chart/context-chart')).default,
  <ChartSpace />,
);

const say = adminStrings.chart;
const moment = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

interface ChartSectionProps {
  readonly history: Report<ContextHistory>;
  readonly onRound: (compactionId: string) => void;
  readonly onRetry: () => void;
}

/** How full the context was, what it consisted of, and what was done about it: as words, as a chart, as a table. */
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
      {history.error !== undefined && (
        <Notice title={say.failed} action={{ label: adminStrings.session.retry, run: onRetry }} />
      )}
      {history.data !== undefined && points.length === 0 && <Notice title={say.empty} body={say.emptyBody} />}
      {history.data === undefined && history.error === undefined && <ChartSpace />}
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

/** As high as the chart that will be here. */
function ChartSpace() {
  return (
    <output className="flex h-88 items-center justify-center text-sm text-ink-3 max-lg:h-128">{say.loading}</output>
  );
}
