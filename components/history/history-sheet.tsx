'use client';

import clsx from 'clsx';
import { ArrowLeft } from 'lucide-react';
import Link from 'next/link';
import { Dialog } from 'radix-ui';
import { useRef, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { LIBRARY_CHANGES_PATH } from '#components/workspace/navigation.ts';
import { summaryText } from '#components/message-text.ts';
import { CheckpointCard } from '#components/history/checkpoint-card';
import { CheckpointMark } from '#components/history/checkpoint-mark';
import { HistorySearchPanel } from '#components/history/history-search';
import { isTimeToLeave, checkpointState, checkpointTitle, stateWords } from '#components/history/checkpoint-words.ts';
import type { History } from '#components/history/use-history.ts';
import { RowList } from '#components/history/row-list';
import { Button } from '#components/ui/buttons';
import { DialogHeader, DialogLayer } from '#components/ui/dialogs/dialogs';
import { useReturnFocus } from '#components/ui/focus/focus.ts';
import { dayAndTime } from '#components/ui/times.ts';
import { useNow } from '#components/ui/hooks.ts';
import { LoadFailed, LoadingBlock, Notice } from '#components/ui/notices';
import { keepOpenForToasts, ToastPlace } from '#components/ui/dialogs/toasts';
import type { Checkpoint } from '#server/core/conversation/history';
import { EndOfDayCard } from '#components/history/end-of-day-card';

const t = translator('history');

/** Height of a row of the list; pixels. */
const ROW = 60;

/** What the sheet shows first: the list, the search field, or the end-of-day card (`leave`). */
export type SheetPart = 'list' | 'search' | 'leave';

interface HistorySheetProps {
  readonly sessionId: string;
  readonly history: History;
  readonly part: SheetPart;
  /** Checkpoint whose card is open; null: the list. */
  readonly openId: string | null;
  readonly onOpen: (checkpointId: string | null) => void;
  /** Shows the site at a checkpoint in the preview, on the page at a path if given. */
  readonly onShowPoint: (checkpoint: Checkpoint, path?: string) => void;
  readonly onClose: () => void;
}

/** The history as a list, with search and the end-of-day card; full screen on a phone. */
export function HistorySheet({ sessionId, history, part, openId, onOpen, onShowPoint, onClose }: HistorySheetProps) {
  const returnFocus = useReturnFocus();
  const search = useRef<HTMLInputElement>(null);
  const content = useRef<HTMLDivElement>(null);
  /** True if something else was opened from here and has the focus. */
  const hasOpenedElsewhere = useRef(false);
  const closeForOther = () => {
    hasOpenedElsewhere.current = true;
    onClose();
  };
  const [query, setQuery] = useState('');
  const [isEndOfDayRequested, setIsEndOfDayRequested] = useState(part === 'leave');
  const now = useNow(60_000);
  const { checkpoints } = history;
  const open = checkpoints.find(({ id }) => id === openId);
  const offersEndOfDay = isEndOfDayRequested || isTimeToLeave(checkpoints, now);
  return (
    <DialogLayer onClose={onClose}>
      <Dialog.Content
        ref={content}
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => {
          event.preventDefault();
          (part === 'search' ? search.current : content.current)?.focus();
        }}
        onCloseAutoFocus={(event) => (hasOpenedElsewhere.current ? event.preventDefault() : returnFocus(event))}
        onInteractOutside={keepOpenForToasts}
        className="fixed inset-y-0 right-0 z-50 flex w-[min(28rem,100vw)] animate-rise flex-col border-l border-rule bg-paper shadow-sheet outline-none"
      >
        <DialogHeader title={t('name')} />
        {open ? (
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
            <Button variant="ghost" onClick={() => onOpen(null)} className="mb-2 -ml-2">
              <ArrowLeft aria-hidden className="size-4 stroke-[1.75]" />
              {t('back')}
            </Button>
            <CheckpointCard
              sessionId={sessionId}
              checkpoint={open}
              onClose={onClose}
              onLeave={closeForOther}
              onShow={(path) => {
                closeForOther();
                onShowPoint(open, path);
              }}
            />
          </div>
        ) : (
          <>
            {query.trim() === '' && <CheckpointList history={history} onOpen={onOpen} />}
            <div
              className={clsx(
                'flex flex-col gap-3 overflow-y-auto border-t border-rule px-5 py-3',
                query.trim() === '' ? 'max-h-[60%] shrink-0' : 'min-h-0 flex-1 border-t-0',
              )}
            >
              <HistorySearchPanel
                ref={search}
                sessionId={sessionId}
                query={query}
                onQuery={setQuery}
                onOpened={closeForOther}
              />
              {query.trim() === '' && offersEndOfDay && (
                <EndOfDayCard sessionId={sessionId} checkpoints={checkpoints} />
              )}
              {query.trim() === '' && (
                <p className="flex flex-wrap items-center justify-between gap-2 text-sm">
                  <Link href={LIBRARY_CHANGES_PATH} className="rounded text-ink-2 hover:text-ink hover:underline">
                    {t('allChanges')}
                  </Link>
                  {!offersEndOfDay && checkpoints.length > 0 && (
                    <Button variant="ghost" onClick={() => setIsEndOfDayRequested(true)}>
                      {t('leave.open')}
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

interface CheckpointListProps {
  readonly history: History;
  readonly onOpen: (checkpointId: string) => void;
}

function CheckpointList({ history: { checkpoints, isLoading, error, reload }, onOpen }: CheckpointListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-3">
      {error !== undefined && <LoadFailed title={t('failed')} onRetry={reload} />}
      {isLoading && <LoadingBlock label={t('loading')} />}
      {!isLoading && error === undefined && checkpoints.length === 0 && (
        <Notice title={t('empty')} body={t('emptyBody')} />
      )}
      <RowList aria-label={t('label')} rows={checkpoints} rowHeight={ROW} scroller={scroller}>
        {(checkpoint) => (
          <div key={checkpoint.id} style={{ height: ROW }}>
            <CheckpointRow checkpoint={checkpoint} onOpen={onOpen} />
          </div>
        )}
      </RowList>
    </div>
  );
}

function CheckpointRow({
  checkpoint,
  onOpen,
}: {
  readonly checkpoint: Checkpoint;
  readonly onOpen: (checkpointId: string) => void;
}) {
  const state = checkpointState(checkpoint);
  const [first] = checkpoint.changes;
  const words = stateWords(state);
  return (
    <button
      type="button"
      data-checkpoint={checkpoint.id}
      onClick={() => onOpen(checkpoint.id)}
      className="group flex size-full items-center gap-3 rounded-md px-2 text-left hover:bg-ink/4"
    >
      <span className="flex w-5 shrink-0 justify-center">
        <CheckpointMark checkpoint={checkpoint} state={state} isShown={false} />
      </span>
      <span className="min-w-0 flex-1">
        <span className={clsx('block truncate text-sm', state === 'undone' && 'text-ink-3 line-through')}>
          {checkpointTitle(checkpoint)}
        </span>
        <span className="flex gap-x-2 text-xs text-ink-3">
          <time dateTime={new Date(checkpoint.at).toISOString()} className="shrink-0">
            {dayAndTime(checkpoint.at)}
          </time>
          {first && <span className="truncate">{summaryText(first)}</span>}
          {words !== '' && <span className="shrink-0">{words}</span>}
        </span>
      </span>
    </button>
  );
}
