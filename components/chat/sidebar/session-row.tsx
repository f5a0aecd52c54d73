'use client';

import clsx from 'clsx';
import { MoreHorizontal, PencilLine, Trash2 } from 'lucide-react';
import { type ComponentProps, type MouseEvent, useRef, useState } from 'react';
import type { Session } from '#server/core/sessions';
import { goTo, sessionPath } from '#components/desk/navigation';
import { refocus } from '#components/ui/focus';
import { relativeTime } from '#components/ui/times';
import { isComposing } from '#components/ui/keys';
import { afterMenu, Menu } from '#components/ui/menus';
import { MenuItem } from '#components/ui/menu-rows';
import { sidebarStrings } from '#components/chat/sidebar/words';

interface SessionRowProps {
  readonly session: Session;
  readonly isCurrent: boolean;
  /** Epoch ms; null before the browser's clock is known. */
  readonly now: number | null;
  readonly onOpen: () => void;
  readonly onRename: (title: string) => void;
  readonly onDelete: () => void;
}

/** The user asked to edit this very text a moment ago. */
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
      aria-label={sidebarStrings.renameLabel}
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
export function SessionRow({ session, isCurrent, now, onOpen, onRename, onDelete }: SessionRowProps) {
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
      <DeskLink
        ref={link}
        href={sessionPath(session.id)}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-baseline gap-2 rounded-md py-1.5 pr-2 pl-2.5 text-sm pointer-coarse:pr-9"
      >
        <span className={clsx('min-w-0 flex-1 truncate', isCurrent ? 'font-medium' : 'text-ink-2')}>
          {session.title}
        </span>
        <span className="shrink-0 text-2xs text-ink-2 tabular-nums group-focus-within/row:invisible group-hover/row:invisible pointer-coarse:visible!">
          {now !== null && relativeTime(session.updatedAt, now)}
        </span>
      </DeskLink>
      <Menu
        trigger={
          <button
            type="button"
            aria-label={sidebarStrings.actions(session.title)}
            className="absolute right-1 flex size-7 items-center justify-center rounded text-ink-3 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 hover:text-ink data-[state=open]:opacity-100 pointer-coarse:opacity-100"
          >
            <MoreHorizontal aria-hidden className="size-4" />
          </button>
        }
      >
        <MenuItem onSelect={() => setTimeout(() => setIsRenaming(true))}>
          <PencilLine aria-hidden />
          {sidebarStrings.rename}
        </MenuItem>
        <MenuItem onSelect={() => afterMenu(onDelete)} className="text-red [&_svg]:text-red">
          <Trash2 aria-hidden />
          {sidebarStrings.remove}
        </MenuItem>
      </Menu>
    </div>
  );
}

interface DeskLinkProps extends ComponentProps<'a'> {
  readonly href: string;
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

/** A link within the desk: a plain click stays on the page, any other behaves as links do. */
export function DeskLink({ href, onClick, children, ...props }: DeskLinkProps) {
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
