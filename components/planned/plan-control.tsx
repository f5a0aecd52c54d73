import { CalendarClock } from 'lucide-react';
import { useMayPublish } from '#components/access/access-client';
import { useEntryAt } from '#components/desk/entries';
import { plannedStrings } from '#components/planned/words';
import { IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { plannedTime } from '#components/ui/times';
import { useOpened } from '#components/ui/hooks';
import type { EntryItem } from '#server/core/site-lists';

const PlanDialog = fetchedLater(async () => (await import('#components/planned/planned-section')).PlanDialog);

const say = plannedStrings;

/** In the bar of the preview: when the page that is shown is published by itself, to set, change and cancel. */
export function PlanControl({ path }: { readonly path: string }) {
  /** The one that was shown when it was asked for: the preview may go on to another page meanwhile. */
  const dialog = useOpened<EntryItem>();
  const mayPublish = useMayPublish();
  const entry = useEntryAt(path);
  return (
    <>
      {entry && (entry.status !== 'published' || entry.publishAt !== null) && (
        <PlanButton entry={entry} {...(mayPublish && { onOpen: () => dialog.open(entry) })} />
      )}
      {dialog.opened && <PlanDialog entry={dialog.opened.target} onClose={dialog.close} />}
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
      {onOpen && <span className="ml-auto underline decoration-accent/40 underline-offset-2">{say.list.change}</span>}
    </button>
  );
}
