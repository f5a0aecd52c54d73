'use client';

import clsx from 'clsx';
import { PanelLeft, PanelRight, SquarePen } from 'lucide-react';
import { ChangesButton } from '#components/changes/changes-button';
import { IconButton } from '#components/ui/icon-button';
import type { LayoutPreferences } from '#lib/desk/layout-preferences';
import { HOME_PATH, goTo } from '#lib/desk/navigation';
import { strings } from '#lib/strings';

interface ChatHeaderProps {
  /** Null on the empty desk. */
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly layout: LayoutPreferences;
  readonly onShowSidebar: () => void;
  readonly onShowPreview: () => void;
}

/** The line above the conversation: its title, and the way to what is hidden at this width. */
export function ChatHeader({ sessionId, title, layout, onShowSidebar, onShowPreview }: ChatHeaderProps) {
  const whereSidebarIsHidden = layout.sidebarOpen && 'min-[1180px]:hidden';
  return (
    <header className="flex h-13 shrink-0 items-center gap-1 px-2">
      <IconButton
        label={strings.sidebar.open}
        icon={<PanelLeft aria-hidden />}
        onClick={onShowSidebar}
        className={clsx(whereSidebarIsHidden)}
      />
      <IconButton
        label={strings.sidebar.newChat}
        icon={<SquarePen aria-hidden />}
        onClick={() => goTo(HOME_PATH)}
        className={clsx(whereSidebarIsHidden)}
      />
      <div className="min-w-0 flex-1 px-2">
        {title !== null && <h1 className="truncate font-serif text-[1.0625rem] text-ink-2">{title}</h1>}
      </div>
      {sessionId !== null && <ChangesButton sessionId={sessionId} />}
      {!layout.previewOpen && (
        <IconButton
          label={strings.preview.show}
          icon={<PanelRight aria-hidden />}
          onClick={onShowPreview}
          className="max-[899px]:hidden"
        />
      )}
    </header>
  );
}
