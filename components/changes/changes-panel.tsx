'use client';

import { X } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { ChangeGroupView } from '#components/changes/change-group';
import { ConflictDialog } from '#components/changes/conflict-dialog';
import { Button } from '#components/ui/button';
import { IconButton } from '#components/ui/icon-button';
import { Notice } from '#components/ui/notice';
import { countStanding, groupByTurn, wordsByTurn } from '#lib/changes/group-changes';
import { type Changes, useChanges } from '#lib/changes/use-changes';
import { chatSession } from '#lib/chat/chat-sessions';
import { askDesk } from '#lib/desk/desk-requests';
import { LIBRARY_CHANGES_PATH } from '#lib/desk/navigation';
import { passOnFocus } from '#lib/focus/pass-on-focus';
import { refocus } from '#lib/focus/refocus';
import { changesStrings } from '#lib/strings/changes';
import { useChatSession } from '#lib/chat/use-chat-session';
import type { ChangeSet, Conflict } from '#server/core/content';

const say = changesStrings;
/** For what is changed outside of this browser; ms. */
const REFRESH_INTERVAL = 15_000;

interface ChangesPanelProps {
  readonly sessionId: string;
  /** The turn to show; null: the newest. */
  readonly turnId: string | null;
  /** What had the focus when it was opened. */
  readonly opener: HTMLElement | null;
  readonly onClose: () => void;
  /** Shows what was changed in the preview. */
  readonly onShow: (change: ChangeSet) => void;
}

/** What a conversation changed on the site, turn by turn, in the place of its transcript. */
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
    return <Notice title={say.failed} action={{ label: say.retry, run: changes.reload }} />;
  }
  if (items === undefined) return <Skeleton />;
  const own = groups.flatMap((group) => group.changes);
  const standing = countStanding(own);
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
