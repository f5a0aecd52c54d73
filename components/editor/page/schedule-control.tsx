import { CalendarClock, Rocket } from 'lucide-react';
import { useMayPublish } from '#components/access/access-client.ts';
import { useEntryAt } from '#components/workspace/entries.ts';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { PublishDialog } from '#components/editor/page/publish-dialog';
import { ScheduleDialog } from '#components/scheduled/schedule-dialog';
import { scheduledTime } from '#components/ui/times.ts';
import { useOpened } from '#components/ui/hooks.ts';
import type { EntryItem } from '#server/core/site/site-lists';

const t = translator('scheduleBar');
const tShared = translator('shared');

interface ScheduleControlProps {
  readonly path: string;
  /** False while an earlier state is displayed, because publishing would affect the current one. */
  readonly isNow: boolean;
}

/**
 * Control in the preview bar: publishes the displayed page now, or sets, changes and cancels a scheduled publication.
 */
export function ScheduleControl({ path, isNow }: ScheduleControlProps) {
  /** The page at the time when the dialog was opened: the preview may show another one later. */
  const dialog = useOpened<EntryItem>();
  const publishing = useOpened<EntryItem>();
  const planned = dialog.opened?.target;
  const mayPublish = useMayPublish();
  const entry = useEntryAt(path);
  const publishable = isNow && mayPublish && entry?.status !== 'published' ? entry : undefined;
  return (
    <>
      {publishable && (
        <span ref={passOnFocus} className="contents">
          <IconButton
            label={tShared('page.publish')}
            icon={<Rocket aria-hidden />}
            onClick={() => publishing.open(publishable)}
          />
        </span>
      )}
      {entry && (entry.status !== 'published' || entry.publishAt !== null) && (
        <ScheduleButton entry={entry} {...(mayPublish && { onOpen: () => dialog.open(entry) })} />
      )}
      {publishing.opened && <PublishDialog entry={publishing.opened.target} onClose={publishing.close} />}
      {planned && (
        <ScheduleDialog
          entry={planned}
          {...(planned.status !== 'published' && { onPublish: () => publishing.open(planned) })}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

interface ScheduleButtonProps {
  readonly entry: EntryItem;
  /** Left out for authors, who may not schedule. */
  readonly onOpen?: () => void;
}

function ScheduleButton({ entry, onOpen }: ScheduleButtonProps) {
  if (entry.publishAt === null) {
    if (!onOpen) return null;
    return <IconButton label={t('open')} icon={<CalendarClock aria-hidden />} onClick={onOpen} />;
  }
  const when = scheduledTime(entry.publishAt);
  return (
    <button
      type="button"
      disabled={!onOpen}
      aria-label={t('scheduledLabel', { when, isOlder: String(entry.isPlanOlder) })}
      onClick={onOpen}
      className="order-last flex h-8 basis-full items-center gap-1.5 rounded-md bg-accent-wash px-2.5 text-xs font-medium text-accent hover:text-accent-strong"
    >
      <CalendarClock aria-hidden className="size-3.5 stroke-[1.75]" />
      <span className="min-w-0 truncate">
        {t('planned', { when })}
        {entry.isPlanOlder && `, ${t('older')}`}
      </span>
      {onOpen && <span className="ml-auto underline decoration-accent/40 underline-offset-2">{t('change')}</span>}
    </button>
  );
}
