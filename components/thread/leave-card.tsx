import { useState } from 'react';
import useSWR from 'swr';
import { useMayPublish } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { showWritten, undoOne } from '#components/changes/undo-actions';
import { changesStrings } from '#components/changes/words';
import { useEntries } from '#components/desk/entries';
import { dollars } from '#components/figures';
import { threadStrings } from '#components/thread/words';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { ChangeSet } from '#server/core/content';
import type { SessionContext } from '#server/core/context-report';
import type { EntryItem } from '#server/core/site-lists';
import type { Knot } from '#server/core/thread';

const say = threadStrings.leave;
/** Ids of the pages and posts that knots changed, but for what was undone since. */
export function changedEntries(knots: readonly Knot[]): ReadonlySet<string> {
  const standing = knots
    .flatMap(({ changes }) => changes)
    .filter(({ undoneBy, isTakenAlong, action }) => undoneBy === null && !isTakenAlong && action !== 'undo')
    .filter(({ targetType }) => targetType === 'page' || targetType === 'post');
  return new Set(standing.map(({ targetId }) => targetId));
}

interface LeaveCardProps {
  readonly sessionId: string;
  readonly knots: readonly Knot[];
}

/** What one leaves behind at the end of a day: pages changed, pages that wait to be published, and what it cost. */
export function LeaveCard({ sessionId, knots }: LeaveCardProps) {
  const changed = changedEntries(knots);
  const { entries = [], isWhole } = useEntries();
  const { data: context } = useSWR<SessionContext>(paths.context(sessionId));
  const waiting = entries.filter(({ id, status }) => changed.has(id) && status !== 'published');
  const cost = context?.cost.total ?? null;
  return (
    <section aria-labelledby="leave-title" className="rounded-xl border border-rule bg-sheet p-4">
      <h3 id="leave-title" className="font-serif text-lg">
        {say.title}
      </h3>
      <ul className="mt-1 text-sm text-ink-2">
        <li>{say.changed(changed.size)}</li>
        <li>{isWhole ? say.waiting(waiting.length) : say.checking}</li>
        <li>{cost === null ? say.noCost : say.cost(dollars(cost))}</li>
      </ul>
      {waiting.length > 0 && <Waiting entries={waiting} />}
    </section>
  );
}

function isPrivate({ marks = [] }: EntryItem): boolean {
  return marks.includes('private');
}

function titlesOf(entries: readonly EntryItem[]): string[] {
  return entries.map(({ title }) => title);
}

function Waiting({ entries }: { readonly entries: readonly EntryItem[] }) {
  const [asked, setAsked] = useState<readonly EntryItem[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const mayPublish = useMayPublish();
  const publish = async (chosen: readonly EntryItem[]) => {
    setIsBusy(true);
    const published: ChangeSet[] = [];
    try {
      for (const { type, id } of chosen) {
        const { change } = await api.publish(type, id);
        if (change !== null) published.push(change);
      }
    } catch (error) {
      reportFailure(error);
    } finally {
      setIsBusy(false);
    }
    if (published.length === 0) return;
    showWritten(published);
    toastWithAction(say.published(published.length), changesStrings.undo, async () => {
      for (const change of published.toReversed()) await undoOne(change);
    });
  };
  return (
    <>
      <ul aria-label={say.list} className="mt-3 divide-y divide-rule border-y border-rule">
        {entries.map((entry) => (
          <li key={entry.id} className="flex items-center gap-2 py-1.5 text-sm">
            <span className="min-w-0 flex-1 truncate">{entry.title}</span>
            {mayPublish && (
              <Button
                aria-label={say.publishLabel(entry.title)}
                aria-disabled={isBusy}
                onClick={() => !isBusy && (isPrivate(entry) ? setAsked([entry]) : void publish([entry]))}
                className="h-7! px-2! text-xs!"
              >
                {say.publish}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {entries.length > 1 && mayPublish && (
        <Button variant="primary" aria-disabled={isBusy} onClick={() => setAsked(entries)} className="mt-3">
          {say.publishAll}
        </Button>
      )}
      <ConfirmDialog
        open={asked.length > 0}
        onOpenChange={(isOpen) => !isOpen && setAsked([])}
        title={say.confirmTitle(asked.length)}
        body={[
          ...(asked.some(isPrivate) ? [say.confirmPrivate(titlesOf(asked.filter(isPrivate)))] : []),
          say.confirmBody,
        ].join(' ')}
        confirm={asked.length === 1 ? say.publish : say.publishAll}
        variant="primary"
        onConfirm={() => void publish(asked)}
      />
    </>
  );
}
