'use client';

import clsx from 'clsx';
import { useEffect, useState } from 'react';
import type { CSSProperties } from 'react';
import { flushSync } from 'react-dom';
import { UndoDialog } from '#components/changes/undo-dialog';
import type { UndoSelection } from '#components/changes/undo-dialog';
import { ChatHeader } from '#components/chat/chat-header';
import { DropZone } from '#components/chat/composer/drop-zone';
import { Conversation } from '#components/chat/conversation';
import { NewChat } from '#components/chat/new-chat';
import { PreviewPane } from '#components/chat/preview/preview-pane';
import { ResizeHandle } from '#components/chat/preview/resize-handle';
import { TabSwitch } from '#components/chat/tab-switch';
import type { DeskTab } from '#components/chat/tab-switch';
import { useOutsideChanges } from '#lib/changes/use-outside-changes';
import { fetchedLater } from '#components/ui/fetched-later';
import { askDesk, useDeskRequest } from '#lib/desk/desk-requests';
import { NEW_DRAFT } from '#lib/chat/drafts';
import { replacePath } from '#lib/desk/navigation';
import { strings } from '#lib/strings';
import { usePreview } from '#lib/preview/use-preview';
import { useSessionTitle } from '#lib/chat/use-sessions';
import type { Layout } from '#lib/desk/use-layout';

const ChangesPanel = fetchedLater(async () => (await import('#components/changes/changes-panel')).ChangesPanel);

/** What of which conversation's changes is on screen, and who asked for it. */
interface ShownChanges extends UndoSelection {
  readonly opener: HTMLElement | null;
}

/** Below this width chat and preview are two tabs. */
const NARROW = '(max-width: 899px)';
/** Behind an address that leads to the changes of a conversation, or of one of its turns. */
const CHANGES_HASH = /^#changes=?(\w*)$/;

interface DeskProps {
  readonly sessionId: string | null;
  readonly layout: Layout;
  readonly onShowSidebar: () => void;
}

/** The conversation and the page it edits: side by side, or as two tabs where there is no room (below 900px). */
export function Desk({ sessionId, layout, onShowSidebar }: DeskProps) {
  const preview = usePreview();
  const [tab, setTab] = useState<DeskTab>('chat');
  const title = useSessionTitle(sessionId);
  const [shownChanges, setShownChanges] = useState<ShownChanges | null>(null);
  const [undoing, setUndoing] = useState<UndoSelection | null>(null);
  const changes = shownChanges?.sessionId === sessionId ? shownChanges : null;

  useOutsideChanges(sessionId, preview.noteChanges);
  useDeskRequest('preview-changes', (written) => {
    preview.showChanges(written);
    return true;
  });
  useDeskRequest('show-changes', ({ turnId }) => {
    if (sessionId === null) return false;
    const opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    setShownChanges({ sessionId, turnId, opener });
    setTab('chat');
    return true;
  });
  useDeskRequest('undo-changes', ({ turnId }) => {
    if (sessionId === null) return false;
    setUndoing({ sessionId, turnId });
    return true;
  });
  useEffect(() => {
    const [, turnId] = CHANGES_HASH.exec(window.location.hash) ?? [];
    if (turnId === undefined || sessionId === null) return;
    replacePath(window.location.pathname);
    askDesk('show-changes', { turnId: turnId === '' ? null : turnId });
  }, [sessionId]);

  useEffect(() => {
    document.title = title === null ? strings.product : `${title} · ${strings.product}`;
  }, [title]);

  useDeskRequest('reload-preview', () => {
    preview.reload();
    return true;
  });
  useDeskRequest('toggle-preview', () => {
    if (window.matchMedia(NARROW).matches) setTab(tab === 'chat' ? 'preview' : 'chat');
    else layout.save({ previewOpen: !layout.previewOpen });
    return true;
  });
  useDeskRequest('focus-composer', () => {
    if (tab === 'chat') return false;
    flushSync(() => setTab('chat'));
    return askDesk('focus-composer', null);
  });

  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <TabSwitch tab={tab} onChange={setTab} className="min-[900px]:hidden" />
      <main className="flex min-h-0 flex-1 min-[900px]:p-2">
        <section
          aria-label={strings.tabs.chat}
          className={clsx(
            'relative min-w-0 flex-1 flex-col overflow-hidden bg-paper min-[900px]:flex min-[900px]:rounded-xl min-[900px]:border min-[900px]:border-rule',
            tab === 'chat' ? 'flex' : 'hidden',
          )}
        >
          <div inert={changes !== null} className="contents">
            <ChatHeader
              sessionId={sessionId}
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
                onShow={(entry, sectionIds) => {
                  preview.showEntry(entry, sectionIds);
                  setTab('preview');
                  if (!layout.previewOpen) layout.save({ previewOpen: true });
                }}
                onWrite={preview.showWrite}
              />
            )}
            <DropZone draftKey={sessionId ?? NEW_DRAFT} />
          </div>
          {changes && (
            <ChangesPanel
              {...changes}
              onClose={() => setShownChanges(null)}
              onShow={(change) => {
                preview.showChanges([change]);
                setTab('preview');
                if (!layout.previewOpen) layout.save({ previewOpen: true });
              }}
            />
          )}
          <UndoDialog selection={undoing} onClose={() => setUndoing(null)} />
        </section>
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
          <PreviewPane
            preview={preview}
            device={layout.previewDevice}
            onDevice={(previewDevice) => layout.save({ previewDevice })}
            onHide={() => layout.save({ previewOpen: false })}
          />
        </div>
      </main>
    </div>
  );
}
