'use client';

import clsx from 'clsx';
import { Clock, LoaderCircle, MoreHorizontal, PencilLine, ShieldQuestionMark, Trash2 } from 'lucide-react';
import { type ComponentProps, type MouseEvent, type ReactNode, useRef, useState } from 'react';
import type { SessionActivity } from '#server/core/conversation/session-overview';
import type { Session } from '#server/core/conversation/sessions';
import { translator } from '#components/i18n.ts';
import { number } from '#components/format.ts';
import { goTo, sessionPath } from '#components/workspace/navigation.ts';
import { refocus } from '#components/ui/focus/focus.ts';
import { relativeTime } from '#components/ui/times.ts';
import { isComposing } from '#components/ui/keys.ts';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';

const t = translator('sidebar');

interface SessionRowProps {
  readonly session: Session;
  /** What happens in it; undefined: nothing. */
  readonly activity: SessionActivity | undefined;
  readonly isCurrent: boolean;
  /** Epoch ms; null before hydration. */
  readonly now: number | null;
  readonly onOpen: () => void;
  readonly onRename: (title: string) => void;
  readonly onDelete: () => void;
}

/** The user has just chosen to edit this text. */
function focusAndSelect(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}

function TitleField({ title, onDone }: { readonly title: string; readonly onDone: (title: string) => void }) {
  return (
    <input
      ref={focusAndSelect}
      defaultValue={title}
      maxLength={200}
      aria-label={t('renameLabel')}
      onBlur={(event) => onDone(event.target.value)}
      onKeyDown={(event) => {
        if (isComposing(event)) return;
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') onDone(title);
      }}
      className="w-full scroll-my-2 rounded-md border border-accent bg-sheet px-2 py-1.5 text-sm outline-none"
    />
  );
}

/** A conversation in the list. */
export function SessionRow({ session, activity, isCurrent, now, onOpen, onRename, onDelete }: SessionRowProps) {
  const [isRenaming, setIsRenaming] = useState(false);
  const link = useRef<HTMLAnchorElement>(null);
  if (isRenaming) {
    return (
      <TitleField
        title={session.title}
        onDone={(title) => {
          setIsRenaming(false);
          refocus(() => link.current);
          if (title.trim() !== '' && title !== session.title) onRename(title.trim());
        }}
      />
    );
  }
  return (
    <div
      className={clsx(
        'group/row relative flex items-center rounded-md transition-colors',
        isCurrent ? 'bg-ink/8' : 'hover:bg-ink/5',
      )}
    >
      <WorkspaceLink
        ref={link}
        href={sessionPath(session.id)}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-baseline gap-2 rounded-md py-1.5 pr-2 pl-2.5 text-sm pointer-coarse:pr-9"
      >
        <span className={clsx('min-w-0 flex-1 truncate', isCurrent ? 'font-medium' : 'text-ink-2')}>
          {session.title}
        </span>
        {activity && <ActivityMarks {...activity} />}
        <span className="shrink-0 text-2xs text-ink-2 tabular-nums group-focus-within/row:invisible group-hover/row:invisible pointer-coarse:visible!">
          {now !== null && relativeTime(session.updatedAt, now)}
        </span>
      </WorkspaceLink>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={t('actions', { title: session.title })}
            className="absolute right-1 flex size-7 items-center justify-center rounded text-ink-3 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 hover:text-ink data-[state=open]:opacity-100 pointer-coarse:opacity-100"
          >
            <MoreHorizontal aria-hidden className="size-4" />
          </button>
        }
      >
        <MenuItem onSelect={() => setTimeout(() => setIsRenaming(true))}>
          <PencilLine aria-hidden />
          {t('rename')}
        </MenuItem>
        <MenuItem onSelect={() => afterMenu(onDelete)} className="text-red [&_svg]:text-red">
          <Trash2 aria-hidden />
          {t('remove')}
        </MenuItem>
      </Menu>
    </div>
  );
}

/** Shows that a conversation works, waits for approval, or has queued messages; nothing if it is idle. */
function ActivityMarks({ state, queued }: SessionActivity) {
  return (
    <>
      {(state === 'running' || state === 'compacting') && (
        <ActivityMark label={t('working')} className="text-accent">
          <LoaderCircle aria-hidden className="size-3.5 motion-safe:animate-spin" />
        </ActivityMark>
      )}
      {state === 'waiting_approval' && (
        <ActivityMark label={t('waitsForApproval')} className="text-amber">
          <ShieldQuestionMark aria-hidden className="size-3.5" />
        </ActivityMark>
      )}
      {queued > 0 && (
        <ActivityMark label={t('queued', { count: queued })} className="text-ink-2">
          <Clock aria-hidden className="size-3" />
          <span aria-hidden>{number.format(queued)}</span>
        </ActivityMark>
      )}
    </>
  );
}

interface ActivityMarkProps {
  /** Part of the accessible name of the conversation, and the tooltip. */
  readonly label: string;
  readonly className: string;
  readonly children: ReactNode;
}

function ActivityMark({ label, className, children }: ActivityMarkProps) {
  return (
    <span
      title={label}
      className={clsx('flex shrink-0 items-center gap-0.5 self-center text-2xs tabular-nums', className)}
    >
      {children}
      <span className="sr-only">{label}</span>
    </span>
  );
}

interface DeskLinkProps extends ComponentProps<'a'> {
  readonly href: string;
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** A link within the workspace: a plain click navigates without loading a page, any other click works as usual. */
export function WorkspaceLink({ href, onClick, children, ...props }: DeskLinkProps) {
  return (
    <a
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !isPlainClick(event)) return;
        event.preventDefault();
        goTo(href);
      }}
      {...props}
    >
      {children}
    </a>
  );
}
