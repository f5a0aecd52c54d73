'use client';

import clsx from 'clsx';
import { useEffect, useState } from 'react';
import type { CSSProperties } from 'react';
import { ChatHeader } from '#components/chat/chat-header';
import { Conversation } from '#components/chat/conversation';
import { NewChat } from '#components/chat/new-chat';
import { PreviewPane } from '#components/chat/preview/preview-pane';
import { ResizeHandle } from '#components/chat/preview/resize-handle';
import { TabSwitch } from '#components/chat/tab-switch';
import type { DeskTab } from '#components/chat/tab-switch';
import { strings } from '#lib/strings';
import { usePreview } from '#lib/use-preview';
import { useSessions } from '#lib/use-sessions';
import type { Layout } from '#lib/use-layout';

interface DeskProps {
  readonly sessionId: string | null;
  readonly layout: Layout;
  readonly onShowSidebar: () => void;
}

/** The conversation and the page it edits: side by side, or as two tabs where there is no room (below 900px). */
export function Desk({ sessionId, layout, onShowSidebar }: DeskProps) {
  const preview = usePreview();
  const [tab, setTab] = useState<DeskTab>('chat');
  const title = useSessions().items?.find(({ id }) => id === sessionId)?.title ?? null;

  useEffect(() => {
    document.title = title === null ? strings.product : `${title} · ${strings.product}`;
  }, [title]);

  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <TabSwitch tab={tab} onChange={setTab} className="min-[900px]:hidden" />
      <div className="flex min-h-0 flex-1 min-[900px]:p-2">
        <main
          className={clsx(
            'min-w-0 flex-1 flex-col overflow-hidden bg-paper min-[900px]:flex min-[900px]:rounded-xl min-[900px]:border min-[900px]:border-rule',
            tab === 'chat' ? 'flex' : 'hidden',
          )}
        >
          <ChatHeader
            title={title}
            layout={layout}
            onShowSidebar={onShowSidebar}
            onShowPreview={() => layout.save({ previewOpen: true })}
          />
          {sessionId === null ? (
            <NewChat />
          ) : (
            <Conversation
              key={sessionId}
              sessionId={sessionId}
              onShow={(entry) => {
                preview.showEntry(entry);
                setTab('preview');
                if (!layout.previewOpen) layout.save({ previewOpen: true });
              }}
              onWrite={preview.showWrite}
            />
          )}
        </main>
        {layout.previewOpen && (
          <ResizeHandle
            width={layout.previewWidth}
            onResize={(previewWidth) => layout.adjust({ previewWidth })}
            onResized={(previewWidth) => layout.save({ previewWidth })}
          />
        )}
        <div
          style={{ '--preview-width': `${String(layout.previewWidth)}%` } as CSSProperties}
          className={clsx(
            'min-w-0 overflow-hidden bg-sheet max-[899px]:flex-1 min-[900px]:w-(--preview-width) min-[900px]:rounded-xl min-[900px]:border min-[900px]:border-rule min-[900px]:shadow-sheet',
            tab !== 'preview' && 'max-[899px]:hidden',
            !layout.previewOpen && 'min-[900px]:hidden',
          )}
        >
          <PreviewPane preview={preview} onHide={() => layout.save({ previewOpen: false })} />
        </div>
      </div>
    </div>
  );
}
