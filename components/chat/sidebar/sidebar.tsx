'use client';

import { Command, Gauge, Keyboard, Library, type LucideIcon, PanelLeftClose, Plus } from 'lucide-react';
import Link from 'next/link';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { useMe } from '#components/access/access-client.ts';
import type { Session } from '#server/core/conversation/sessions';
import { WaitingMark } from '#components/approvals/waiting-mark';
import { useCommands } from '#components/chat/commands/commands-context.ts';
import { ariaKeys, keyLabels, shortcuts } from '#components/chat/commands/shortcuts.ts';
import {
  groupSessions,
  removeSession,
  updateSession,
  type Sessions,
  useSessions,
} from '#components/chat/session-list/use-sessions.ts';
import { sessionActivity } from '#components/chat/sidebar/session-activity.ts';
import { WorkspaceLink, SessionRow } from '#components/chat/sidebar/session-row';
import { ADMIN_PATH, goTo, HOME_PATH, LIBRARY_PAGES_PATH } from '#components/workspace/navigation.ts';
import { SiteSwitcher } from '#components/workspace/site-of-page';
import { Kbd } from '#components/ui/controls/kbd';
import { IconButton } from '#components/ui/buttons';
import { AccountMenu } from '#components/shell/account-menu';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { Hits } from '#components/history/history-search';
import { SearchField } from '#components/ui/fields';
import { useNow, useStore } from '#components/ui/hooks.ts';
import { useIsApple } from '#components/ui/keys.ts';
import { LanguageMenu } from '#components/shell/language-menu';
import { ThemeMenu } from '#components/shell/theme-menu';
import { LoadFailed } from '#components/ui/notices';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { Wordmark } from '#components/ui/wordmark';

const t = translator('sidebar');
const tCommand = translator('command');
const tShortcuts = translator('shortcuts');
const tShared = translator('shared');

interface SidebarProps {
  readonly currentId: string | null;
  readonly onClose: () => void;
  /** Called after something was opened, to close a drawer. */
  readonly onOpened: () => void;
  /** A requested search over the conversations; empty words only focus the field. Null: none. */
  readonly search: { readonly words: string } | null;
  /** Called when the requested search is shown. */
  readonly onSearched: () => void;
}

async function attempt(action: Promise<void>, done?: string): Promise<void> {
  try {
    await action;
    if (done !== undefined) toast(done);
  } catch (error) {
    reportFailure(error);
  }
}

/** The list of conversations, to find, open, rename and delete them. */
export function Sidebar({ currentId, onClose, onOpened, search, onSearched }: SidebarProps) {
  const [query, setQuery] = useState('');
  const sessions = useSessions(query);
  const field = useRef<HTMLInputElement>(null);
  const [doomed, setDoomed] = useState<Session | null>(null);

  const remove = (session: Session) => {
    if (session.id === currentId) goTo(HOME_PATH);
    void attempt(removeSession(session.id), t('removed'));
  };

  const showSearch = useEffectEvent((words: string) => {
    // Another sidebar may exist, in the drawer.
    if (!field.current?.checkVisibility()) return;
    if (words !== '') setQuery(words);
    field.current.focus();
    onSearched();
  });
  useEffect(() => {
    if (search === null) return undefined;
    // Deferred: the drawer that has just appeared may still be moving the focus.
    const timer = setTimeout(() => showSearch(search.words));
    return () => clearTimeout(timer);
  }, [search]);

  return (
    <nav aria-label={t('label')} className="flex h-full flex-col">
      <header className="flex h-13 shrink-0 items-center justify-between pr-2 pl-4">
        <WorkspaceLink href={HOME_PATH} onClick={onOpened} aria-label={tShared('product')} className="rounded">
          <Wordmark />
        </WorkspaceLink>
        <div className="flex items-center">
          <WaitingMark />
          <IconButton label={t('close')} icon={<PanelLeftClose aria-hidden />} onClick={onClose} />
        </div>
      </header>
      <div className="flex flex-col gap-2 px-3 pb-2">
        <SiteSwitcher />
        <WorkspaceLink
          href={HOME_PATH}
          onClick={onOpened}
          className="flex h-9 items-center gap-2 rounded-lg border border-rule-strong bg-sheet px-3 text-sm font-medium hover:border-ink-3"
        >
          <Plus aria-hidden className="size-4 text-accent" />
          {t('newChat')}
        </WorkspaceLink>
        <SearchField ref={field} label={t('search')} value={query} onChange={setQuery} isOutlined={false} />
      </div>
      <SessionList sessions={sessions} query={query} currentId={currentId} onOpened={onOpened} onDelete={setDoomed} />
      <Footer onOpened={onOpened} />
      {doomed && (
        <ConfirmDialog
          open
          onOpenChange={() => setDoomed(null)}
          title={t('removeTitle')}
          body={t('removeBody', { title: doomed.title })}
          confirm={t('remove')}
          onConfirm={() => remove(doomed)}
        />
      )}
    </nav>
  );
}

/** Buttons for commands, shortcuts and theme, for users of a mouse or a touch screen. */
function Footer({ onOpened }: { readonly onOpened: () => void }) {
  const { openPalette, openHelp } = useCommands();
  const isApple = useIsApple();
  const me = useMe();
  return (
    <footer className="flex flex-wrap items-center gap-0.5 border-t border-rule px-2 py-2">
      <FooterLink href={LIBRARY_PAGES_PATH} icon={Library} label={t('library')} />
      {(me === undefined || me.role === 'admin') && <FooterLink href={ADMIN_PATH} icon={Gauge} label={t('admin')} />}
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys('palette', isApple)}
        onClick={() => {
          onOpened();
          openPalette();
        }}
        className="flex h-8 flex-1 items-center gap-2 rounded-md px-2 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink"
      >
        <Command aria-hidden className="size-4 stroke-[1.75]" />
        {tCommand('open')}
        <span aria-hidden className="ml-auto pointer-coarse:hidden">
          <Kbd keys={keyLabels(shortcuts.palette.keys[0], isApple)} />
        </span>
      </button>
      <IconButton
        label={tShortcuts('open')}
        icon={<Keyboard aria-hidden />}
        aria-haspopup="dialog"
        onClick={() => {
          onOpened();
          openHelp();
        }}
      />
      <ThemeMenu />
      <LanguageMenu />
      {me?.kind === 'user' && <AccountMenu />}
    </footer>
  );
}

interface FooterLinkProps {
  readonly href: string;
  readonly icon: LucideIcon;
  readonly label: string;
}

function FooterLink({ href, icon: Icon, label }: FooterLinkProps) {
  return (
    <Link
      href={href}
      prefetch={false}
      className="flex h-8 w-full items-center gap-2 rounded-md px-2 text-sm text-ink-2 hover:bg-ink/6 hover:text-ink"
    >
      <Icon aria-hidden className="size-4 stroke-[1.75]" />
      {label}
    </Link>
  );
}

interface SessionListProps {
  readonly sessions: Sessions;
  readonly query: string;
  readonly currentId: string | null;
  readonly onOpened: () => void;
  readonly onDelete: (session: Session) => void;
}

function SessionList({ sessions, query, currentId, onOpened, onDelete }: SessionListProps) {
  const now = useNow(30_000);
  const activity = useStore(sessionActivity);
  const { items } = sessions;
  if (sessions.error !== undefined) {
    return (
      <div className="flex-1">
        <LoadFailed title={t('failed')} onRetry={sessions.reload} />
      </div>
    );
  }
  if (items === undefined || now === null) return <div aria-busy className="flex-1" />;
  const groups = groupSessions(items, now);
  const wanted = query.trim();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-4">
      {groups.length === 0 && (
        <p className="px-2.5 py-4 text-sm text-ink-3">
          {wanted === '' ? t('empty') : sessions.isSearching ? t('searching') : t('noMatch', { query: wanted })}
        </p>
      )}
      {groups.map(({ group, sessions: members }) => (
        <section key={group} aria-label={t(`groups.${group}`)}>
          <h2 className="px-2.5 pt-4 pb-1 text-xs text-ink-3">{t(`groups.${group}`)}</h2>
          <ul className="flex flex-col gap-px">
            {members.map((session) => (
              <li key={session.id}>
                <SessionRow
                  session={session}
                  activity={activity.get(session.id)}
                  isCurrent={session.id === currentId}
                  now={now}
                  onOpen={onOpened}
                  onRename={(title) => void attempt(updateSession(session.id, { title }))}
                  onDelete={() => onDelete(session)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {sessions.loadMore && (
        <button
          type="button"
          onClick={sessions.loadMore}
          className="mt-3 w-full rounded-md px-2.5 py-1.5 text-left text-sm text-ink-2 hover:bg-ink/6 hover:text-ink"
        >
          {t('more')}
        </button>
      )}
      {wanted.length > 1 && (
        <section aria-label={t('said')} className="mt-2 border-t border-rule">
          <h2 className="px-2.5 pt-4 pb-1 text-xs text-ink-3">{t('said')}</h2>
          <Hits sessionId={null} query={wanted} onOpened={onOpened} />
        </section>
      )}
      <output className="sr-only">
        {wanted !== '' &&
          !sessions.isSearching &&
          t('found', { count: groups.flatMap(({ sessions: all }) => all).length })}
      </output>
    </div>
  );
}
