'use client';

import { usePathname } from 'next/navigation';
import { useCallback, useState } from 'react';
import { CommandCenter } from '#components/chat/commands/command-center';
import { Desk } from '#components/chat/desk';
import { Sidebar } from '#components/chat/sidebar/sidebar';
import type { LayoutPreferences } from '#components/desk/parse-layout';
import { sessionIdOf } from '#components/desk/navigation';
import { useLayout } from '#components/chat/preview/desk-layout';
import { useSession } from '#components/chat/session/use-sessions';
import { useSiteOfSession } from '#components/desk/site-of-page';
import { ConnectionBanner } from '#components/ui/notices';
import { fetchedLater } from '#components/ui/fetched-later';
import { useMediaQuery } from '#components/ui/hooks';
import { strings } from '#components/words';
import { sidebarStrings } from '#components/chat/sidebar/words';

/** In the place of the assistant, for somebody who may work on no site. */
export const NoSite = fetchedLater(async () => (await import('#components/shell/page-shell')).NoSitePage);

const Drawer = fetchedLater(async () => (await import('#components/ui/dialogs')).Drawer);

/** Width from which the list of conversations fits beside everything else. */
const SIDEBAR_BESIDE = '(min-width: 1180px)';

interface ChatAppProps {
  readonly initialLayout: LayoutPreferences;
}

/** The assistant: conversations, the present one, and the site beside it. Stays mounted across its addresses. */
export function ChatApp({ initialLayout }: ChatAppProps) {
  const sessionId = sessionIdOf(usePathname());
  const isSiteGone = useSiteOfSession(useSession(sessionId));
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
        {isSiteGone && (
          <output className="block border-b border-rule bg-sheet px-4 py-2 text-sm text-amber">
            {strings.sites.goneBelow}
          </output>
        )}
        <div className="flex min-h-0 flex-1">
          {layout.sidebarOpen && <aside className="hidden w-64 shrink-0 min-[1180px]:block">{sidebar}</aside>}
          <Desk sessionId={sessionId} layout={layout} onShowSidebar={showSidebar} />
        </div>
        {isDrawerOpen && !hasRoom && (
          <Drawer title={sidebarStrings.label} onClose={() => setIsDrawerOpen(false)}>
            {sidebar}
          </Drawer>
        )}
      </div>
    </CommandCenter>
  );
}
