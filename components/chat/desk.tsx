'use client';

import clsx from 'clsx';
import { FileDiff, PanelLeft, PanelRight, SquarePen } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { type CSSProperties, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { countUndoable } from '#components/changes/group-changes';
import { UndoDialog, type UndoSelection } from '#components/changes/undo-dialog';
import { useChanges, useOutsideChanges } from '#components/changes/use-changes';
import { changesStrings } from '#components/changes/words';
import { DropZone } from '#components/chat/composer/attachments';
import { Conversation } from '#components/chat/conversation';
import { NewChat } from '#components/chat/new-chat';
import { PreviewPane } from '#components/chat/preview/preview-pane';
import { usePreview } from '#components/chat/preview/preview-view';
import { ResizeHandle } from '#components/chat/preview/resize-handle';
import { previewStrings } from '#components/chat/preview/words';
import { NEW_DRAFT } from '#components/chat/session/drafts';
import { useSessionTitle } from '#components/chat/session/use-sessions';
import { askDesk, useDeskRequest } from '#components/desk/desk-requests';
import { noteOpenPage } from '#components/desk/here';
import type { LayoutPreferences } from '#components/desk/parse-layout';
import { goTo, HOME_PATH, replacePath } from '#components/desk/navigation';
import type { Layout } from '#components/desk/use-layout';
import { IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { strings } from '#components/words';

const ChangesPanel = fetchedLater(async () => (await import('#components/changes/changes-panel')).ChangesPanel);

/** The undo selection whose changes are on screen, with the element that opened it. */
interface ShownChanges extends UndoSelection {
  readonly opener: HTMLElement | null;
}

/** Width below which chat and preview are two tabs. */
const NARROW = '(max-width: 899px)';
/** Hash of an address that opens the changes of a conversation, or of one of its turns. */
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

  const openPath = layout.previewOpen ? preview.path : null;
  useEffect(() => {
    noteOpenPage(openPath === null ? undefined : { path: openPath, state: preview.mode });
    return () => noteOpenPage(undefined);
  }, [openPath, preview.mode]);
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

export type DeskTab = 'chat' | 'preview';

interface TabSwitchProps {
  readonly tab: DeskTab;
  readonly onChange: (tab: DeskTab) => void;
  readonly className?: string;
}

/** Chat or preview, where there is room for one of them only. */
function TabSwitch({ tab, onChange, className }: TabSwitchProps) {
  return (
    <ToggleGroup.Root
      type="single"
      value={tab}
      aria-label={strings.tabs.label}
      onValueChange={(value) => {
        if (value === 'chat' || value === 'preview') onChange(value);
      }}
      className={clsx('flex shrink-0 border-b border-rule bg-paper px-3', className)}
    >
      {(['chat', 'preview'] as const).map((value) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          className="h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 data-[state=on]:border-accent data-[state=on]:font-medium data-[state=on]:text-ink"
        >
          {strings.tabs[value]}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}

interface ChatHeaderProps {
  /** Null on the empty desk. */
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly layout: LayoutPreferences;
  readonly onShowSidebar: () => void;
  readonly onShowPreview: () => void;
}

/** The line above the conversation: its title, and the way to what is hidden at this width. */
function ChatHeader({ sessionId, title, layout, onShowSidebar, onShowPreview }: ChatHeaderProps) {
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
          label={previewStrings.show}
          icon={<PanelRight aria-hidden />}
          onClick={onShowPreview}
          className="max-[899px]:hidden"
        />
      )}
    </header>
  );
}

const say = changesStrings;
/** Largest count in the badge. */
const MOST = 99;

/** Opens what the conversation changed, and says how much of it stands. */
function ChangesButton({ sessionId }: { readonly sessionId: string }) {
  const { items } = useChanges({ sessionId });
  const count = countUndoable(items ?? []);
  return (
    <span className="relative">
      <IconButton
        label={say.open(count)}
        icon={<FileDiff aria-hidden />}
        onClick={() => askDesk('show-changes', { turnId: null })}
      />
      {count > 0 && (
        <span
          aria-hidden
          className="pointer-events-none absolute -top-0.5 -right-0.5 min-w-4 rounded-full bg-accent px-1 text-center text-2xs leading-4 font-medium text-accent-ink tabular-nums"
        >
          {count > MOST ? `${MOST}+` : count}
        </span>
      )}
    </span>
  );
}
