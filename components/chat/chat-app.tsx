'use client';

import { usePathname } from 'next/navigation';
import { Tooltip } from 'radix-ui';
import { useState } from 'react';
import { Toaster } from 'sonner';
import { SWRConfig } from 'swr';
import { ConnectionBanner } from '#components/chat/connection-banner';
import { Desk } from '#components/chat/desk';
import { Drawer } from '#components/chat/drawer';
import { Sidebar } from '#components/chat/sidebar/sidebar';
import { api } from '#lib/api-client';
import { connection } from '#lib/connection';
import type { LayoutPreferences } from '#lib/layout-preferences';
import { sessionIdOf } from '#lib/navigation';
import { strings } from '#lib/strings';
import { useLayout } from '#lib/use-layout';
import { useMediaQuery } from '#lib/use-media-query';

/** From this width on there is room for the list of conversations beside everything else. */
const SIDEBAR_BESIDE = '(min-width: 1180px)';

interface ChatAppProps {
  readonly initialLayout: LayoutPreferences;
}

/** The assistant: conversations, the present one, and the site beside it. Stays mounted across its addresses. */
export function ChatApp({ initialLayout }: ChatAppProps) {
  return (
    <SWRConfig
      value={{ fetcher: api.get, shouldRetryOnError: () => connection.state === 'online', errorRetryCount: 3 }}
    >
      <Tooltip.Provider delayDuration={400}>
        <Shell initialLayout={initialLayout} />
        <Toaster
          position="top-center"
          toastOptions={{
            className: '!bg-ink !text-paper !border-0 !font-sans',
            classNames: { actionButton: '!bg-paper/15 !text-paper !font-medium' },
          }}
        />
      </Tooltip.Provider>
    </SWRConfig>
  );
}

function Shell({ initialLayout }: ChatAppProps) {
  const sessionId = sessionIdOf(usePathname());
  const layout = useLayout(initialLayout);
  const hasRoom = useMediaQuery(SIDEBAR_BESIDE);
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);

  const sidebar = (
    <Sidebar
      currentId={sessionId}
      onClose={() => (hasRoom ? layout.save({ sidebarOpen: false }) : setIsDrawerOpen(false))}
      onOpened={() => setIsDrawerOpen(false)}
    />
  );
  return (
    <div className="flex h-dvh flex-col">
      <ConnectionBanner />
      <div className="flex min-h-0 flex-1">
        {layout.sidebarOpen && <aside className="hidden w-64 shrink-0 min-[1180px]:block">{sidebar}</aside>}
        <Desk
          sessionId={sessionId}
          layout={layout}
          onShowSidebar={() => (hasRoom ? layout.save({ sidebarOpen: true }) : setIsDrawerOpen(true))}
        />
      </div>
      <Drawer open={isDrawerOpen && !hasRoom} onOpenChange={setIsDrawerOpen} title={strings.sidebar.label}>
        {sidebar}
      </Drawer>
    </div>
  );
}
