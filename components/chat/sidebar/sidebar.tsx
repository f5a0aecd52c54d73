'use client';

import { PanelLeftClose, Plus, Search } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import { DeskLink } from '#components/chat/desk-link';
import { SessionRow } from '#components/chat/sidebar/session-row';
import { Wordmark } from '#components/chat/sidebar/wordmark';
import { ConfirmDialog } from '#components/ui/confirm-dialog';
import { IconButton } from '#components/ui/icon-button';
import { Notice } from '#components/ui/notice';
import { ThemeMenu } from '#components/ui/theme-menu';
import type { SessionItem } from '#lib/api-client';
import { HOME_PATH, goTo } from '#lib/navigation';
import { groupSessions } from '#lib/session-groups';
import { strings } from '#lib/strings';
import { useNow } from '#lib/use-now';
import { useSessions } from '#lib/use-sessions';
import type { Sessions } from '#lib/use-sessions';

interface SidebarProps {
  readonly currentId: string | null;
  readonly onClose: () => void;
  /** Something was opened: a drawer can go away. */
  readonly onOpened: () => void;
}

async function attempt(action: Promise<void>, done?: string): Promise<void> {
  try {
    await action;
    if (done !== undefined) toast(done);
  } catch (error) {
    toast.error(strings.sidebar.actionFailed(error instanceof Error ? error.message : String(error)));
  }
}

/** All conversations, to find, open, rename and delete. */
export function Sidebar({ currentId, onClose, onOpened }: SidebarProps) {
  const sessions = useSessions();
  const [query, setQuery] = useState('');
  const [doomed, setDoomed] = useState<SessionItem | null>(null);

  const remove = (session: SessionItem) => {
    if (session.id === currentId) goTo(HOME_PATH);
    void attempt(sessions.remove(session.id), strings.sidebar.removed);
  };

  return (
    <nav aria-label={strings.sidebar.label} className="flex h-full flex-col">
      <header className="flex h-13 shrink-0 items-center justify-between pr-2 pl-4">
        <DeskLink href={HOME_PATH} onClick={onOpened} aria-label={strings.product} className="rounded">
          <Wordmark />
        </DeskLink>
        <IconButton label={strings.sidebar.close} icon={<PanelLeftClose aria-hidden />} onClick={onClose} />
      </header>
      <div className="flex flex-col gap-2 px-3 pb-2">
        <DeskLink
          href={HOME_PATH}
          onClick={onOpened}
          className="flex h-9 items-center gap-2 rounded-lg border border-rule-strong bg-sheet px-3 text-sm font-medium hover:border-ink-3"
        >
          <Plus aria-hidden className="size-4 text-accent" />
          {strings.sidebar.newChat}
        </DeskLink>
        <SearchField value={query} onChange={setQuery} />
      </div>
      <SessionList sessions={sessions} query={query} currentId={currentId} onOpened={onOpened} onDelete={setDoomed} />
      <footer className="border-t border-rule px-2 py-2">
        <ThemeMenu />
      </footer>
      <ConfirmDialog
        open={doomed !== null}
        onOpenChange={(open) => !open && setDoomed(null)}
        title={strings.sidebar.removeTitle}
        body={strings.sidebar.removeBody(doomed?.title ?? '')}
        confirm={strings.sidebar.remove}
        onConfirm={() => doomed && remove(doomed)}
      />
    </nav>
  );
}

function SearchField({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className="relative">
      <label htmlFor={id} className="sr-only">
        {strings.sidebar.search}
      </label>
      <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-ink-3" />
      <input
        id={id}
        type="search"
        value={value}
        placeholder={strings.sidebar.search}
        onChange={(event) => onChange(event.target.value)}
        className="h-8 w-full rounded-md bg-ink/5 pr-2 pl-8 text-sm outline-none placeholder:text-ink-3 focus-visible:ring-2 focus-visible:ring-accent"
      />
    </div>
  );
}

interface SessionListProps {
  readonly sessions: Sessions;
  readonly query: string;
  readonly currentId: string | null;
  readonly onOpened: () => void;
  readonly onDelete: (session: SessionItem) => void;
}

function SessionList({ sessions, query, currentId, onOpened, onDelete }: SessionListProps) {
  const now = useNow(30_000);
  const { items } = sessions;
  if (sessions.error !== undefined) {
    return (
      <div className="flex-1">
        <Notice title={strings.sidebar.failed} action={{ label: strings.sidebar.retry, run: sessions.reload }} />
      </div>
    );
  }
  if (items === undefined || now === null) return <div aria-busy className="flex-1" />;
  const groups = groupSessions(items, query, now);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
      {groups.length === 0 && (
        <p className="px-2.5 py-4 text-sm text-ink-3">
          {query.trim() === '' ? strings.sidebar.empty : strings.sidebar.noMatch(query.trim())}
        </p>
      )}
      {groups.map(({ group, sessions: members }) => (
        <section key={group} aria-label={strings.sidebar.groups[group]}>
          <h2 className="px-2.5 pt-4 pb-1 text-xs text-ink-3">{strings.sidebar.groups[group]}</h2>
          <ul className="flex flex-col gap-px">
            {members.map((session) => (
              <li key={session.id}>
                <SessionRow
                  session={session}
                  isCurrent={session.id === currentId}
                  now={now}
                  onOpen={onOpened}
                  onRename={(title) => void attempt(sessions.rename(session.id, title))}
                  onDelete={() => onDelete(session)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
