'use client';

import clsx from 'clsx';
import { ArrowLeft } from 'lucide-react';
import Link from 'next/link';
import { Dialog } from 'radix-ui';
import { useRef, useState } from 'react';
import { LIBRARY_CHANGES_PATH } from '#components/desk/navigation';
import { inYourWords } from '#components/served-words';
import { KnotCard } from '#components/thread/knot-card';
import { KnotMark } from '#components/thread/thread-line';
import { ThreadSearch } from '#components/thread/thread-search';
import { isTimeToLeave, knotState, knotTitle, stateWords } from '#components/thread/knot-words';
import { isGone, type Thread } from '#components/thread/use-thread';
import { useWindow } from '#components/thread/use-window';
import { threadStrings } from '#components/thread/words';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog, DialogHeader, DialogLayer } from '#components/ui/dialogs';
import { useReturnFocus } from '#components/ui/focus';
import { dayAndTime } from '#components/ui/times';
import { useNow } from '#components/ui/hooks';
import { LoadFailed, LoadingBlock, Notice } from '#components/ui/notices';
import { keepOpenForToasts, reportFailure, ToastPlace, toastWithAction } from '#components/ui/toasts';
import type { Knot } from '#server/core/thread';
import useSWR from 'swr';
import { useMayPublish } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { undoOne } from '#components/changes/undo-actions';
import { showWritten } from '#components/desk/content-cache';
import { changesStrings } from '#components/changes/words';
import { useEntries } from '#components/desk/entries';
import { dollars } from '#components/figures';
import type { ChangeSet } from '#server/core/changes';
import type { SessionContext } from '#server/core/context-report';
import type { EntryItem } from '#server/core/site-lists';

const say = threadStrings;
/** Height of a row; pixels. */
const ROW = 60;

/** Part of the sheet that it opens with. */
export type SheetPart = 'list' | 'search' | 'leave';

interface ThreadSheetProps {
  readonly sessionId: string;
  readonly thread: Thread;
  readonly part: SheetPart;
  /** Knot whose card is open; null: the list. */
  readonly openId: string | null;
  readonly onOpen: (knotId: string | null) => void;
  readonly onDraw: (knot: Knot, path?: string) => void;
  readonly onClose: () => void;
}

/** The thread as a list to read, with the search under it and the card for the end of the day; on a phone all of it. */
export function ThreadSheet({ sessionId, thread, part, openId, onOpen, onDraw, onClose }: ThreadSheetProps) {
  const returnFocus = useReturnFocus();
  const search = useRef<HTMLInputElement>(null);
  const content = useRef<HTMLDivElement>(null);
  /** Something else was opened from here, and has the focus. */
  const isLeft = useRef(false);
  const leave = () => {
    isLeft.current = true;
    onClose();
  };
  const [query, setQuery] = useState('');
  const [isLeaving, setIsLeaving] = useState(part === 'leave');
  const now = useNow(60_000);
  const { knots } = thread;
  const open = knots.find(({ id }) => id === openId);
  const offersLeave = isLeaving || isTimeToLeave(knots, now);
  return (
    <DialogLayer onClose={onClose}>
      <Dialog.Content
        ref={content}
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          (part === 'search' ? search.current : content.current)?.focus();
        }}
        onCloseAutoFocus={(event) => (isLeft.current ? event.preventDefault() : returnFocus(event))}
        onInteractOutside={keepOpenForToasts}
        className="fixed inset-y-0 right-0 z-50 flex w-[min(28rem,100vw)] animate-rise flex-col border-l border-rule bg-paper shadow-sheet outline-none"
      >
        <DialogHeader title={say.name} />
        {open ? (
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
            <Button variant="ghost" onClick={() => onOpen(null)} className="mb-2 -ml-2">
              <ArrowLeft aria-hidden className="size-4 stroke-[1.75]" />
              {say.back}
            </Button>
            <KnotCard
              sessionId={sessionId}
              knot={open}
              onClose={onClose}
              onLeave={leave}
              onShow={(path) => {
                leave();
                onDraw(open, path);
              }}
            />
          </div>
        ) : (
          <>
            {query.trim() === '' && <KnotList thread={thread} onOpen={onOpen} />}
            <div
              className={clsx(
                'flex flex-col gap-3 overflow-y-auto border-t border-rule px-5 py-3',
                query.trim() === '' ? 'max-h-[60%] shrink-0' : 'min-h-0 flex-1 border-t-0',
              )}
            >
              <ThreadSearch ref={search} sessionId={sessionId} query={query} onQuery={setQuery} onOpened={leave} />
              {query.trim() === '' && offersLeave && <LeaveCard sessionId={sessionId} knots={knots} />}
              {query.trim() === '' && (
                <p className="flex flex-wrap items-center justify-between gap-2 text-sm">
                  <Link href={LIBRARY_CHANGES_PATH} className="rounded text-ink-2 hover:text-ink hover:underline">
                    {say.allChanges}
                  </Link>
                  {!offersLeave && knots.length > 0 && (
                    <Button variant="ghost" onClick={() => setIsLeaving(true)}>
                      {say.leave.open}
                    </Button>
                  )}
                </p>
              )}
            </div>
          </>
        )}
        <ToastPlace rank="layer" />
      </Dialog.Content>
    </DialogLayer>
  );
}

interface KnotListProps {
  readonly thread: Thread;
  readonly onOpen: (knotId: string) => void;
}

function KnotList({ thread: { knots, isLoading, error, reload }, onOpen }: KnotListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const range = useWindow(scroller, knots.length, ROW);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-3">
      {error !== undefined && <LoadFailed title={say.failed} onRetry={reload} />}
      {isLoading && <LoadingBlock label={say.loading} />}
      {!isLoading && error === undefined && knots.length === 0 && <Notice title={say.empty} body={say.emptyBody} />}
      <ol aria-label={say.label} style={{ height: knots.length * ROW }} className="relative">
        {knots.slice(range.start, range.end).map((knot, offset) => (
          <li
            key={knot.id}
            aria-setsize={knots.length}
            aria-posinset={range.start + offset + 1}
            style={{ top: (range.start + offset) * ROW, height: ROW }}
            className="absolute inset-x-0"
          >
            <KnotRow knot={knot} onOpen={onOpen} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function KnotRow({ knot, onOpen }: { readonly knot: Knot; readonly onOpen: (knotId: string) => void }) {
  const state = knotState(knot);
  const [first] = knot.changes;
  const words = stateWords(state);
  return (
    <button
      type="button"
      data-knot={knot.id}
      onClick={() => onOpen(knot.id)}
      className="group flex size-full items-center gap-3 rounded-md px-2 text-left hover:bg-ink/4"
    >
      <span className="flex w-5 shrink-0 justify-center">
        <KnotMark knot={knot} state={state} isDrawn={false} />
      </span>
      <span className="min-w-0 flex-1">
        <span className={clsx('block truncate text-sm', state === 'undone' && 'text-ink-3 line-through')}>
          {knotTitle(knot)}
        </span>
        <span className="flex gap-x-2 text-xs text-ink-3">
          <time dateTime={new Date(knot.at).toISOString()} className="shrink-0">
            {dayAndTime(knot.at)}
          </time>
          {first && <span className="truncate">{inYourWords(first.summary)}</span>}
          {words !== '' && <span className="shrink-0">{words}</span>}
        </span>
      </span>
    </button>
  );
}

const day = threadStrings.leave;

/** Ids of the pages and posts that knots changed, but for what was undone since. */
export function changedEntries(knots: readonly Knot[]): ReadonlySet<string> {
  const standing = knots
    .flatMap(({ changes }) => changes)
    .filter((change) => !isGone(change) && change.action !== 'undo')
    .filter(({ targetType }) => targetType === 'page' || targetType === 'post');
  return new Set(standing.map(({ targetId }) => targetId));
}

interface LeaveCardProps {
  readonly sessionId: string;
  readonly knots: readonly Knot[];
}

/** Card for the end of a day: pages changed, pages that wait to be published, and what it cost. */
function LeaveCard({ sessionId, knots }: LeaveCardProps) {
  const changed = changedEntries(knots);
  const { entries = [], isWhole } = useEntries();
  const { data: context } = useSWR<SessionContext>(paths.context(sessionId));
  const waiting = entries.filter(({ id, status }) => changed.has(id) && status !== 'published');
  const cost = context?.cost.total ?? null;
  return (
    <section aria-labelledby="leave-title" className="rounded-xl border border-rule bg-sheet p-4">
      <h3 id="leave-title" className="font-serif text-lg">
        {day.title}
      </h3>
      <ul className="mt-1 text-sm text-ink-2">
        <li>{day.changed(changed.size)}</li>
        <li>{isWhole ? day.waiting(waiting.length) : day.checking}</li>
        <li>{cost === null ? day.noCost : day.cost(dollars(cost))}</li>
      </ul>
      {waiting.length > 0 && <Waiting entries={waiting} />}
    </section>
  );
}

function isPrivate({ marks = [] }: EntryItem): boolean {
  return marks.includes('private');
}

function Waiting({ entries }: { readonly entries: readonly EntryItem[] }) {
  const [asked, setAsked] = useState<readonly EntryItem[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const mayPublish = useMayPublish();
  const privates = asked.filter(isPrivate).map(({ title }) => title);
  const publish = async (chosen: readonly EntryItem[]) => {
    setIsBusy(true);
    const published: ChangeSet[] = [];
    let failure: unknown = null;
    try {
      for (const { type, id } of chosen) {
        const { change } = await api.publish(type, id);
        if (change !== null) published.push(change);
      }
    } catch (error) {
      failure = error;
    }
    setIsBusy(false);
    if (published.length > 0) {
      showWritten(published);
      toastWithAction(day.published(published.length), changesStrings.undo, async () => {
        for (const change of published.toReversed()) await undoOne(change);
      });
    }
    // Last, for only the newest toast is seen: that of what was published is there for longer.
    if (failure !== null) reportFailure(failure);
  };
  return (
    <>
      <ul aria-label={day.list} className="mt-3 divide-y divide-rule border-y border-rule">
        {entries.map((entry) => (
          <li key={entry.id} className="flex items-center gap-2 py-1.5 text-sm">
            <span className="min-w-0 flex-1 truncate">{entry.title}</span>
            {mayPublish && (
              <Button
                aria-label={day.publishLabel(entry.title)}
                aria-disabled={isBusy}
                onClick={() => !isBusy && (isPrivate(entry) ? setAsked([entry]) : void publish([entry]))}
                className="h-7! px-2! text-xs!"
              >
                {day.publish}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {entries.length > 1 && mayPublish && (
        <Button variant="primary" aria-disabled={isBusy} onClick={() => setAsked(entries)} className="mt-3">
          {day.publishAll}
        </Button>
      )}
      <ConfirmDialog
        open={asked.length > 0}
        onOpenChange={(isOpen) => !isOpen && setAsked([])}
        title={day.confirmTitle(asked.length)}
        body={[...(privates.length > 0 ? [day.confirmPrivate(privates)] : []), day.confirmBody].join(' ')}
        confirm={asked.length === 1 ? day.publish : day.publishAll}
        variant="primary"
        onConfirm={() => void publish(asked)}
      />
    </>
  );
}
