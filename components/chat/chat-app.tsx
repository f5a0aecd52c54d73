'use client';

import { usePathname } from 'next/navigation';
import { useCallback, useState } from 'react';
import { ConnectionBanner } from '#components/chat/connection-banner';
import { CommandCenter } from '#components/chat/commands/command-center';
import { Desk } from '#components/chat/desk';
import { Drawer } from '#components/chat/drawer';
import { Sidebar } from '#components/chat/sidebar/sidebar';
import type { LayoutPreferences } from '#lib/desk/layout-preferences';
import { sessionIdOf } from '#lib/desk/navigation';
import { strings } from '#lib/strings';
import { useLayout } from '#lib/desk/use-layout';
import { useMediaQuery } from '#lib/ui/use-media-query';

/** From this width on there is room for the list of conversations beside everything else. */
const SIDEBAR_BESIDE = '(min-width: 1180px)';

interface ChatAppProps {
  readonly initialLayout: LayoutPreferences;
}

/** The assistant: conversations, the present one, and the site beside it. Stays mounted across its addresses. */
export function ChatApp({ initialLayout }: ChatAppProps) {
  const sessionId = sessionIdOf(usePathname());
  const layout = useLayout(initialLayout);
  const hasRoom = useMediaQuery(SIDEBAR_BESIDE);
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);

  const { save } = layout;
  const showSidebar = useCallback(
    () => (hasRoom ? save({ sidebarOpen: true }) : setIsDrawerOpen(true)),
    [hasRoom, save],
  );
  const hideSidebar = () => (hasRoom ? save({ sidebarOpen: false }) : setIsDrawerOpen(false));
  const isSidebarShown = hasRoom ? layout.sidebarOpen : isDrawerOpen;

  const sidebar = <Sidebar currentId={sessionId} onClose={hideSidebar} onOpened={() => setIsDrawerOpen(false)} />;
  return (
    <CommandCenter
      sessionId={sessionId}
      onShowSidebar={showSidebar}
      onToggleSidebar={isSidebarShown ? hideSidebar : showSidebar}
    >
      <div className="flex h-dvh flex-col">
        <ConnectionBanner />
        <div className="flex min-h-0 flex-1">
          {layout.sidebarOpen && <aside className="hidden w-64 shrink-0 min-[1180px]:block">{sidebar}</aside>}
          <Desk sessionId={sessionId} layout={layout} onShowSidebar={showSidebar} />
        </div>
        <Drawer open={isDrawerOpen && !hasRoom} onOpenChange={setIsDrawerOpen} title={strings.sidebar.label}>
          {sidebar}
        </Drawer>
      </div>
    </CommandCenter>
  );
}
