import { CalendarClock, Rocket } from 'lucide-react';
import { useMayPublish } from '#components/access/access-client';
import { useEntryAt } from '#components/desk/entries';
import { planStrings as say } from '#components/editor/plan-words';
import { IconButton } from '#components/ui/buttons';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { fetchedLater } from '#components/ui/fetched-later';
import { plannedTime } from '#components/ui/times';
import { useOpened } from '#components/ui/hooks';
import { strings } from '#components/words';
import type { EntryItem } from '#server/core/site-lists';

const PublishDialog = fetchedLater(async () => (await import('#components/editor/publish-dialog')).PublishDialog);
const PlanDialog = fetchedLater(async () => (await import('#components/planned/planned-section')).PlanDialog);

interface PlanControlProps {
  readonly path: string;
  /** False while an earlier state is looked at: what would be published is another. */
  readonly isNow: boolean;
}

/** In the bar of the preview: publishes the page that is shown, now or by itself at a time to set, change and cancel. */
export function PlanControl({ path, isNow }: PlanControlProps) {
  /** The one that was shown when it was asked for: the preview may go on to another page meanwhile. */
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
            label={strings.page.publish}
            icon={<Rocket aria-hidden />}
            onClick={() => publishing.open(publishable)}
          />
        </span>
      )}
      {entry && (entry.status !== 'published' || entry.publishAt !== null) && (
        <PlanButton entry={entry} {...(mayPublish && { onOpen: () => dialog.open(entry) })} />
      )}
      {publishing.opened && <PublishDialog entry={publishing.opened.target} onClose={publishing.close} />}
      {planned && (
        <PlanDialog
          entry={planned}
          {...(planned.status !== 'published' && { onPublish: () => publishing.open(planned) })}
          onClose={dialog.close}
        />
      )}
    </>
  );
}

interface PlanButtonProps {
  readonly entry: EntryItem;
  /** Left out for an author, who plans nothing. */
  readonly onOpen?: () => void;
}

function PlanButton({ entry, onOpen }: PlanButtonProps) {
  if (entry.publishAt === null) {
    if (!onOpen) return null;
    return <IconButton label={say.open} icon={<CalendarClock aria-hidden />} onClick={onOpen} />;
  }
  const when = plannedTime(entry.publishAt);
  return (
    <button
      type="button"
      disabled={!onOpen}
      aria-label={say.plannedLabel(when, entry.isPlanOlder)}
      onClick={onOpen}
      className="order-last flex h-8 basis-full items-center gap-1.5 rounded-md bg-accent-wash px-2.5 text-xs font-medium text-accent hover:text-accent-strong"
    >
      <CalendarClock aria-hidden className="size-3.5 stroke-[1.75]" />
      <span className="min-w-0 truncate">
        {say.planned(when)}
        {entry.isPlanOlder && `, ${say.older}`}
      </span>
      {onOpen && <span className="ml-auto underline decoration-accent/40 underline-offset-2">{say.change}</span>}
    </button>
  );
}
