import { ArrowUpRight } from 'lucide-react';
import Link from 'next/link';
import { localizedText } from '#components/message-text.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { useMayPublish } from '#components/access/access-client.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { number } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { useOpened } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import { reportFailure } from '#components/ui/dialogs/toasts';
import type { ScheduledEntry } from '#server/core/site/site-lists';
import { scheduledTime } from '#components/ui/times.ts';
import { planPublication } from '#components/scheduled/plan-publication.ts';
import { ScheduleDialog } from '#components/scheduled/schedule-dialog';

const t = translator('scheduled.list');
/** Polling interval for publications and schedules made elsewhere; ms. */
const REFRESH_INTERVAL = 15_000;

/** Scheduled publications, next one first; renders nothing if there are none. */
export function ScheduledSection() {
  const { data, error, mutate } = useApi(paths.scheduled, {
    refreshInterval: REFRESH_INTERVAL,
  });
  const dialog = useOpened<ScheduledEntry>();
  if (error !== undefined && data === undefined) {
    return <LoadFailed title={t('failed')} onRetry={() => void mutate()} />;
  }
  if (data === undefined || data.total === 0) return null;
  const more = data.total - data.items.length;
  return (
    <section aria-labelledby="planned" className="pt-8">
      <h2
        id="planned"
        className="flex items-baseline gap-3 border-b border-rule-strong pb-1.5 font-serif text-lg font-medium"
      >
        {t('title')}
        <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{number.format(data.total)}</span>
      </h2>
      <ul className="divide-y divide-rule">
        {data.items.map((entry) => (
          <ScheduledRow key={entry.id} entry={entry} onChange={() => dialog.open(entry)} />
        ))}
      </ul>
      {more > 0 && <p className="pt-3 text-sm text-ink-3">{t('more', { count: more })}</p>}
      {dialog.opened && <ScheduleDialog entry={dialog.opened.target} onClose={dialog.close} />}
    </section>
  );
}

function ScheduledRow({ entry, onChange }: { readonly entry: ScheduledEntry; readonly onChange: () => void }) {
  const previewHref = usePreviewHref();
  const { type, title, path, status, publishAt, isPlanOlder, problem, problemMessage } = entry;
  const mayPublish = useMayPublish();
  return (
    <li ref={passOnFocus} className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <Link
          href={previewHref(path, 'draft')}
          prefetch={false}
          className="inline-flex max-w-full items-center gap-0.5 text-base font-medium hover:text-accent"
        >
          <span className="truncate">{title}</span>
          <ArrowUpRight aria-hidden className="size-3.5 shrink-0 stroke-[1.75]" />
        </Link>
        <p className="flex flex-wrap gap-x-3 text-sm text-ink-2">
          <time dateTime={new Date(publishAt).toISOString()}>{scheduledTime(publishAt)}</time>
          <span className="text-ink-3">{t(`types.${type}`)}</span>
          {status === 'changed' && <span className="text-ink-3">{t('update')}</span>}
          {isPlanOlder && <span className="text-ink-3">{t('older')}</span>}
        </p>
        {problem !== null && (
          <p className="mt-1 text-sm text-red">{t('late', { reason: localizedText(problemMessage, problem) })}</p>
        )}
      </div>
      {mayPublish && (
        <div className="flex gap-2">
          <Button aria-label={t('changeLabel', { title })} onClick={onChange}>
            {t('change')}
          </Button>
          <Button
            variant="ghost"
            aria-label={t('cancelLabel', { title })}
            onClick={() => void planPublication(entry, null).catch(reportFailure)}
          >
            {t('cancel')}
          </Button>
        </div>
      )}
    </li>
  );
}
