'use client';

import { usePathname } from 'next/navigation';
import { useCallback, useEffect, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { CommandCenter } from '#components/chat/commands/command-center';
import { Workspace } from '#components/chat/workspace';
import { useWorkspace } from '#components/chat/use-workspace.ts';
import { UndoRedoProvider } from '#components/editor/actions/undo-redo-provider';
import { WorkspaceActionsProvider } from '#components/workspace/workspace-actions.ts';
import { Sidebar } from '#components/chat/sidebar/sidebar';
import type { LayoutPreferences } from '#components/workspace/parse-layout.ts';
import { noteConversation } from '#components/workspace/last-conversation.ts';
import { sessionIdOf } from '#components/workspace/navigation.ts';
import { useLayout } from '#components/chat/preview/use-layout.ts';
import { useSession } from '#components/chat/session-list/use-sessions.ts';
import { useSiteOfSession } from '#components/workspace/site-of-page';
import { ConnectionBanner } from '#components/shell/connection-banner';
import { Drawer } from '#components/ui/dialogs/dialogs';
import { useMediaQuery } from '#components/ui/hooks.ts';

const t = translator('sidebar');
const tShared = translator('shared');

/**
 * Least width at which the list of conversations (256 px) fits next to the chat and the preview. The class below
 * repeats the width, because Tailwind finds only whole class names.
 */
const SIDEBAR_FITS = '(min-width: 1180px)';
const SHOWN_IF_SIDEBAR_FITS = 'min-[1180px]:block';

interface ChatAppProps {
  readonly initialLayout: LayoutPreferences;
}

/**
 * The assistant: the list of conversations, the open conversation, and the preview. Stays mounted when the address
 * changes.
 */
export function ChatApp({ initialLayout }: ChatAppProps) {
  const sessionId = sessionIdOf(usePathname());
  const session = useSession(sessionId);
  const isSiteGone = useSiteOfSession(session);
  const openId = session?.id ?? null;
  useEffect(() => {
    // A conversation that is not known yet, or deleted, is not noted.
    if (sessionId === null || openId !== null) noteConversation(openId);
  }, [sessionId, openId]);
  const layout = useLayout(initialLayout);
  const workspace = useWorkspace(sessionId, layout);
  const isWide = useMediaQuery(SIDEBAR_FITS);
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);

  const { save } = layout;
  const showSidebar = useCallback(() => (isWide ? save({ sidebarOpen: true }) : setIsDrawerOpen(true)), [isWide, save]);
  const [search, setSearch] = useState<{ readonly words: string } | null>(null);
  const searchFor = useCallback(
    (words: string) => {
      showSidebar();
      setSearch({ words });
    },
    [showSidebar],
  );
  const hideSidebar = () => (isWide ? save({ sidebarOpen: false }) : setIsDrawerOpen(false));
  const isSidebarShown = isWide ? layout.sidebarOpen : isDrawerOpen;

  const sidebar = (
    <Sidebar
      currentId={sessionId}
      onClose={hideSidebar}
      onOpened={() => setIsDrawerOpen(false)}
      search={search}
      onSearched={() => setSearch(null)}
    />
  );
  return (
    <WorkspaceActionsProvider value={workspace.actions}>
      <UndoRedoProvider sessionId={sessionId}>
        <CommandCenter
          sessionId={sessionId}
          onSearch={searchFor}
          onToggleSidebar={isSidebarShown ? hideSidebar : showSidebar}
        >
          <div className="flex h-dvh flex-col">
            <ConnectionBanner />
            {isSiteGone && (
              <output className="block border-b border-rule bg-sheet px-4 py-2 text-sm text-amber">
                {tShared('sites.goneBelow')}
              </output>
            )}
            <div className="flex min-h-0 flex-1">
              {layout.sidebarOpen && (
                <aside className={`hidden w-64 shrink-0 ${SHOWN_IF_SIDEBAR_FITS}`}>{sidebar}</aside>
              )}
              <Workspace sessionId={sessionId} layout={layout} workspace={workspace} onShowSidebar={showSidebar} />
            </div>
            {isDrawerOpen && !isWide && (
              <Drawer title={t('label')} onClose={() => setIsDrawerOpen(false)}>
                {sidebar}
              </Drawer>
            )}
          </div>
        </CommandCenter>
      </UndoRedoProvider>
    </WorkspaceActionsProvider>
  );
}
