'use client';

import { ArrowUpRight, Undo2, X } from 'lucide-react';
import Link from 'next/link';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { ChangeRow } from '#components/changes/change-row';
import { type ChangeGroup, countUndoable, groupByTurn, wordsByTurn } from '#components/changes/group-changes';
import { ConflictDialog } from '#components/changes/undo-dialog';
import { type Changes, useChanges } from '#components/changes/use-changes';
import { changesStrings } from '#components/changes/words';
import { chatSession, useChatSession } from '#components/chat/session/chat-sessions';
import { askDesk } from '#components/desk/desk-requests';
import { LIBRARY_CHANGES_PATH } from '#components/desk/navigation';
import { Button, IconButton } from '#components/ui/buttons';
import { passOnFocus, refocus } from '#components/ui/focus';
import { dayAndTime } from '#components/ui/format';
import { LoadFailed, Notice } from '#components/ui/notices';
import type { ChangeSet, Conflict } from '#server/core/content';

const say = changesStrings;
/** Polling interval for changes made outside this browser; ms. */
const REFRESH_INTERVAL = 15_000;

interface ChangesPanelProps {
  readonly sessionId: string;
  /** The turn to show; null: the newest. */
  readonly turnId: string | null;
  /** Element that had the focus when the panel was opened. */
  readonly opener: HTMLElement | null;
  readonly onClose: () => void;
  /** Shows what was changed in the preview. */
  readonly onShow: (change: ChangeSet) => void;
}

/** Changes a conversation made to the site, turn by turn, in place of its transcript. */
export function ChangesPanel({ sessionId, turnId, opener, onClose, onShow }: ChangesPanelProps) {
  const titleId = useId();
  const panel = useRef<HTMLDialogElement>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const changes = useChanges({ sessionId }, { refreshInterval: REFRESH_INTERVAL });
  const giveBack = useEffectEvent(() => {
    if (opener?.isConnected) opener.focus();
    refocus();
  });
  useEffect(() => {
    panel.current?.focus();
    return () => giveBack();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    // A layer above this one hears its own keys.
    if (event.key !== 'Escape' || event.defaultPrevented || !panel.current?.contains(event.target as Node)) return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      open
      ref={panel}
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="absolute inset-0 z-20 m-0 flex size-full max-h-none max-w-none animate-rise flex-col border-0 bg-paper p-0 text-ink outline-none"
    >
      <header className="flex min-h-13 shrink-0 items-center gap-3 border-b border-rule py-2 pr-2 pl-5 sm:pl-8">
        <div className="min-w-0 flex-1">
          <h2 id={titleId} className="truncate font-serif text-[1.0625rem]">
            {say.panel}
          </h2>
        </div>
        <IconButton label={say.close} icon={<X aria-hidden />} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto w-full max-w-[44rem] px-5 pt-4 pb-10 sm:px-8">
          <Body sessionId={sessionId} turnId={turnId} changes={changes} onShow={onShow} onConflict={setConflict} />
        </div>
      </div>
      <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />
    </dialog>
  );
}

interface BodyProps extends Pick<ChangesPanelProps, 'sessionId' | 'turnId' | 'onShow'> {
  readonly changes: Changes;
  readonly onConflict: (conflict: Conflict) => void;
}

function Body({ sessionId, turnId, changes, onShow, onConflict }: BodyProps) {
  const { messages } = useChatSession(chatSession(sessionId));
  const words = useMemo(() => wordsByTurn(messages), [messages]);
  const { items } = changes;
  const groups = useMemo(() => groupByTurn(items ?? []), [items]);
  if (changes.error !== undefined) {
    return <LoadFailed title={say.failed} onRetry={changes.reload} />;
  }
  if (items === undefined) return <Skeleton />;
  const own = groups.flatMap((group) => group.changes);
  const standing = countUndoable(own);
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-2">
        <output className="text-sm text-ink-3">
          {own.length > 0 && say.count(own.length, own.filter(({ undoneBy }) => undoneBy === null).length)}
        </output>
        <span className="ml-auto flex items-center gap-1">
          <Link
            href={LIBRARY_CHANGES_PATH}
            className="inline-flex h-8 items-center rounded-md px-2 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink"
          >
            {say.allLibrary}
          </Link>
          {standing > 0 && (
            <Button ref={passOnFocus} onClick={() => askDesk('undo-changes', { turnId: null })}>
              {say.undoAll}
            </Button>
          )}
        </span>
      </div>
      {own.length === 0 && <Notice title={say.empty} body={say.emptyBody} />}
      {groups.map((group) => (
        <ChangeGroupView
          key={group.key}
          group={group}
          words={group.turnId === null ? null : (words.get(group.turnId) ?? null)}
          isShown={turnId !== null && group.turnId === turnId}
          onShow={onShow}
          onConflict={onConflict}
        />
      ))}
      {changes.loadMore && (
        <Button onClick={changes.loadMore} disabled={changes.isLoadingMore} className="mt-6">
          {changes.isLoadingMore ? say.loadingOlder : say.older}
        </Button>
      )}
    </>
  );
}

function Skeleton() {
  return (
    <output aria-label={say.loading} className="block pt-2">
      {['w-2/5', 'w-4/5', 'w-3/5', 'w-2/3'].map((width) => (
        <span key={width} className={`mb-5 block h-4 animate-breathe rounded bg-rule ${width}`} />
      ))}
    </output>
  );
}

/** A turn that somebody asked for is unfolded where it has no more changes than this. */
const MOST_UNFOLDED = 3;

interface ChangeGroupViewProps {
  readonly group: ChangeGroup;
  /** The user's request in that turn; null: not known. */
  readonly words: string | null;
  /** The user asked for this turn. */
  readonly isShown: boolean;
  readonly onShow: (change: ChangeSet) => void;
  readonly onConflict: (conflict: Conflict) => void;
}

/** Changes of one turn below the request that led to them. */
export function ChangeGroupView({ group, words, isShown, onShow, onConflict }: ChangeGroupViewProps) {
  const headingId = useId();
  const section = useRef<HTMLElement>(null);
  const { changes, turnId } = group;
  const first = changes[0];
  useEffect(() => {
    if (isShown) section.current?.scrollIntoView({ block: 'start' });
  }, [isShown]);
  if (!first) return null;
  const title = words ?? (turnId === null ? say.outside : say.turnOf(dayAndTime(first.createdAt)));
  return (
    <section ref={section} aria-labelledby={headingId} className="scroll-mt-4 pt-6">
      <header className="flex items-start gap-3">
        <h3
          id={headingId}
          className="line-clamp-3 min-w-0 flex-1 border-l-2 border-accent pl-3 text-sm font-medium [overflow-wrap:anywhere]"
        >
          {title}
        </h3>
        {turnId !== null && countUndoable(changes) > 1 && (
          <Button
            ref={passOnFocus}
            variant="ghost"
            aria-label={say.undoTurnLabel(title)}
            onClick={() => askDesk('undo-changes', { turnId })}
            className="h-7! shrink-0 px-2! text-xs!"
          >
            <Undo2 aria-hidden className="size-3.5 stroke-[1.75]" />
            {say.undoTurn}
          </Button>
        )}
      </header>
      <ol className="mt-1 divide-y divide-rule">
        {changes.map((change) => (
          <ChangeRow
            key={change.id}
            change={change}
            isOpenAtFirst={isShown && changes.length <= MOST_UNFOLDED}
            onConflict={onConflict}
            facts={<Facts change={change} onShow={onShow} />}
          />
        ))}
      </ol>
    </section>
  );
}

function Facts({ change, onShow }: { readonly change: ChangeSet; readonly onShow: (change: ChangeSet) => void }) {
  const isEntry = change.targetType === 'page' || change.targetType === 'post';
  return (
    <>
      {isEntry && (
        <button
          type="button"
          aria-label={say.show(change.title)}
          onClick={() => onShow(change)}
          className="inline-flex min-w-0 items-center gap-0.5 rounded text-ink-2 hover:text-accent"
        >
          <span className="truncate">{change.title}</span>
          <ArrowUpRight aria-hidden className="size-3.5 shrink-0 stroke-[1.75]" />
        </button>
      )}
      {change.origin.approvalId !== undefined && <span>{say.approved}</span>}
    </>
  );
}
