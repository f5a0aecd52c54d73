'use client';

import clsx from 'clsx';
import { PanelLeft, PanelRight, Spool, SquarePen } from 'lucide-react';
import { type CSSProperties, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { UndoSelection } from '#components/changes/undo-dialog';
import { useOutsideChanges } from '#components/changes/use-changes';
import { DropZone } from '#components/chat/composer/attachments';
import { Conversation } from '#components/chat/conversation';
import { NewChat } from '#components/chat/new-chat';
import { PreviewPane } from '#components/chat/preview/preview-pane';
import { Drawing, usePreview } from '#components/chat/preview/preview-view';
import { type Layout, ResizeHandle } from '#components/chat/preview/desk-layout';
import { previewStrings } from '#components/chat/preview/words';
import { NEW_DRAFT } from '#components/chat/session/drafts';
import { useSessionTitle } from '#components/chat/session/use-sessions';
import { askDesk, type BringBackPoint, useDeskRequest } from '#components/desk/desk-requests';
import { noteOpenPage } from '#components/desk/here';
import { chooseOn } from '#components/editor/chosen';
import { UndoRedo } from '#components/editor/editor-panels';
import type { SheetPart } from '#components/thread/thread-sheet';
import { countStanding, drawnPoint, useThread } from '#components/thread/use-thread';
import type { Knot } from '#server/core/thread';
import type { LayoutPreferences } from '#components/desk/parse-layout';
import { goTo, HOME_PATH, pageOfHash, replacePath } from '#components/desk/navigation';
import { Choices, IconButton } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { useIsTouched, useMediaQuery } from '#components/ui/hooks';
import { strings } from '#components/words';
import { sidebarStrings } from '#components/chat/sidebar/words';
import { tabStrings } from '#components/chat/session/words';

const OpenPage = fetchedLater(async () => (await import('#components/editor/page-tools')).OpenPage);
const UndoDialog = fetchedLater(async () => (await import('#components/changes/undo-dialog')).UndoDialog);
const ThreadLine = fetchedLater(
  async () => (await import('#components/thread/thread-line')).ThreadLine,
  <div className="hidden w-9 shrink-0 border-l border-rule bg-paper min-[900px]:block" />,
);
const ThreadSheet = fetchedLater(async () => (await import('#components/thread/thread-sheet')).ThreadSheet);
const BringBackDialog = fetchedLater(
  async () => (await import('#components/thread/bring-back-dialog')).BringBackDialog,
);

/** The open part of a conversation's thread. */
interface OpenThread {
  readonly sessionId: string;
  /** Null: the sheet is closed. */
  readonly sheet: SheetPart | null;
  /** Knot whose card is open; null: none. */
  readonly knotId: string | null;
}

/** Width below which chat and preview are two tabs. */
const NARROW = '(max-width: 899px)';
/** Hash of an address that opens the thread of a conversation, or one of its turns in it. */
const CHANGES_HASH = /^#changes=?(\w*)$/;
/** Hash of an address that leads to a message. */
const MESSAGE_HASH = /^#message=(msg_\w+)$/;

interface DeskProps {
  readonly sessionId: string | null;
  readonly layout: Layout;
  readonly onShowSidebar: () => void;
}

/** The conversation and the page it edits: side by side, or as two tabs where there is no room (below 900px). */
export function Desk({ sessionId, layout, onShowSidebar }: DeskProps) {
  const preview = usePreview();
  const [tab, setTab] = useState<DeskTab>('chat');
  // The screen is a small one itself.
  const isNarrow = useMediaQuery(NARROW);
  const title = useSessionTitle(sessionId);
  const thread = useThread(sessionId);
  const [openThread, setOpenThread] = useState<OpenThread | null>(null);
  const [undoing, setUndoing] = useState<UndoSelection | null>(null);
  const [bringingBack, setBringingBack] = useState<BringBackPoint | null>(null);
  const opened = openThread?.sessionId === sessionId ? openThread : null;
  const openInThread = (part: Partial<Omit<OpenThread, 'sessionId'>>) => {
    if (sessionId !== null) setOpenThread({ sheet: null, knotId: null, ...opened, ...part, sessionId });
  };
  const drawKnot = (knot: Knot | null, path?: string) => {
    const point = knot === null || sessionId === null ? null : drawnPoint(sessionId, knot);
    // At a summary nothing changed: what was shown stays.
    if (knot !== null && point === null) return;
    drawing.draw(point, path);
    if (!layout.previewOpen) layout.save({ previewOpen: true });
  };

  const openPath = layout.previewOpen ? preview.path : null;
  useEffect(() => {
    noteOpenPage(openPath === null ? undefined : { path: openPath, state: preview.mode });
    return () => noteOpenPage(undefined);
  }, [openPath, preview.mode]);
  // An earlier state is only looked at.
  const pointed = preview.mode === 'draft' && preview.point === null ? openPath : null;
  const isTouched = useIsTouched();
  const [isPointed, setIsPointed] = useState(false);
  useOutsideChanges(sessionId, preview.noteChanges);
  useDeskRequest('preview-changes', (written) => {
    preview.showChanges(written);
    return true;
  });
  useDeskRequest('show-changes', ({ turnId }) => {
    if (sessionId === null) return false;
    const isBeside = !window.matchMedia(NARROW).matches;
    openInThread({ sheet: isBeside && turnId !== null ? null : 'list', knotId: turnId });
    setTab('chat');
    return true;
  });
  useDeskRequest('leave', () => {
    if (sessionId === null) return false;
    openInThread({ sheet: 'leave', knotId: null });
    return true;
  });
  useDeskRequest('bring-back', (point) => {
    if (sessionId === null) return false;
    setBringingBack(point);
    return true;
  });
  useDeskRequest('undo-changes', ({ turnId }) => {
    if (sessionId === null) return false;
    setUndoing({ sessionId, turnId });
    return true;
  });
  useEffect(() => {
    if (sessionId === null) return;
    const [, turnId] = CHANGES_HASH.exec(window.location.hash) ?? [];
    const [, messageId] = MESSAGE_HASH.exec(window.location.hash) ?? [];
    if (turnId === undefined && messageId === undefined) return;
    replacePath(window.location.pathname);
    if (turnId !== undefined) askDesk('show-changes', { turnId: turnId === '' ? null : turnId });
    if (messageId !== undefined) askDesk('show-message', { sessionId, messageId, turnId: null });
  }, [sessionId]);

  useDeskRequest('open-page', ({ path }) => {
    setIsPointed(true);
    preview.goTo(path);
    setTab('preview');
    if (!layout.previewOpen) layout.save({ previewOpen: true });
    return true;
  });
  useEffect(() => {
    const page = pageOfHash(window.location.hash);
    if (page === null) return;
    replacePath(window.location.pathname);
    askDesk('open-page', { path: page.path });
    if (page.sectionId === null) return;
    chooseOn(page.path, page.sectionId);
    askDesk('focus-composer', null);
  }, []);
  // Drawn to when the pointer rests: each point is a page to load.
  const [drawing] = useState(() => new Drawing(preview.draw));
  useEffect(() => drawing.stop, [drawing]);
  const { draw, point } = preview;
  useEffect(() => {
    // An earlier state is one of its own conversation.
    if (point !== null && point.sessionId !== sessionId) draw(null);
  }, [draw, point, sessionId]);

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
    <main className="flex min-w-0 flex-1 flex-col">
      <TabSwitch tab={tab} onChange={setTab} className="min-[900px]:hidden" />
      <div className="flex min-h-0 flex-1 min-[900px]:p-2">
        <section
          aria-label={tabStrings.chat}
          className={clsx(
            'relative min-w-0 flex-1 flex-col overflow-hidden bg-paper min-[900px]:flex min-[900px]:rounded-xl min-[900px]:border min-[900px]:border-rule',
            tab === 'chat' ? 'flex' : 'hidden',
          )}
        >
          <ChatHeader
            sessionId={sessionId}
            title={title}
            layout={layout}
            changes={countStanding(thread.knots)}
            onShowSidebar={onShowSidebar}
            onShowPreview={() => layout.save({ previewOpen: true })}
            onOpenThread={() => openInThread({ sheet: 'list', knotId: null })}
          />
          {sessionId === null ? (
            <NewChat />
          ) : (
            <div className="flex min-h-0 flex-1">
              <div className="flex min-w-0 flex-1 flex-col">
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
              </div>
              <ThreadLine
                key={sessionId}
                sessionId={sessionId}
                thread={thread}
                openId={opened?.sheet === null ? opened.knotId : null}
                onOpen={(knotId) => openInThread({ sheet: null, knotId })}
                point={preview.point?.changeId ?? null}
                onDraw={drawKnot}
                onSearch={() => openInThread({ sheet: 'search', knotId: null })}
                onLeave={() => openInThread({ sheet: 'leave', knotId: null })}
              />
            </div>
          )}
          <DropZone draftKey={sessionId ?? NEW_DRAFT} />
          {opened !== null && opened.sheet !== null && (
            <ThreadSheet
              key={opened.sheet}
              sessionId={opened.sessionId}
              thread={thread}
              part={opened.sheet}
              openId={opened.knotId}
              onOpen={(knotId) => openInThread({ knotId })}
              onDraw={(knot, path) => {
                drawKnot(knot, path);
                setTab('preview');
              }}
              onClose={() => setOpenThread(null)}
            />
          )}
          {bringingBack !== null && sessionId !== null && (
            <BringBackDialog
              sessionId={sessionId}
              point={bringingBack}
              onClose={() => setBringingBack(null)}
              onDone={() => {
                setOpenThread(null);
                preview.draw(null);
              }}
            />
          )}
          {pointed !== null && (isTouched || isPointed) && <OpenPage path={pointed} />}
          <UndoRedo sessionId={sessionId} />
          {undoing && <UndoDialog selection={undoing} onClose={() => setUndoing(null)} />}
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
            device={isNarrow ? 'fit' : layout.previewDevice}
            onDevice={(previewDevice) => layout.save({ previewDevice })}
            onLook={(previewLook) => layout.save({ previewLook })}
            onHide={() => layout.save({ previewOpen: false })}
          />
        </div>
      </div>
    </main>
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
    <Choices
      label={tabStrings.label}
      value={tab}
      choices={{ chat: tabStrings.chat, preview: tabStrings.preview }}
      onChange={onChange}
      className={clsx('flex shrink-0 border-b border-rule bg-paper px-3', className)}
      choiceClassName="h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 aria-checked:border-accent aria-checked:font-medium aria-checked:text-ink"
    />
  );
}

interface ChatHeaderProps {
  /** Null on the empty desk. */
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly layout: LayoutPreferences;
  /** Changes of the conversation that are in effect. */
  readonly changes: number;
  readonly onShowSidebar: () => void;
  readonly onShowPreview: () => void;
  readonly onOpenThread: () => void;
}

/** The line above the conversation: its title, and the way to what is hidden at this width. */
function ChatHeader({ sessionId, title, layout, changes, ...on }: ChatHeaderProps) {
  const whereSidebarIsHidden = layout.sidebarOpen && 'min-[1180px]:hidden';
  return (
    <header className="flex h-13 shrink-0 items-center gap-1 px-2">
      <IconButton
        label={sidebarStrings.open}
        icon={<PanelLeft aria-hidden />}
        onClick={on.onShowSidebar}
        className={clsx(whereSidebarIsHidden)}
      />
      <IconButton
        label={sidebarStrings.newChat}
        icon={<SquarePen aria-hidden />}
        onClick={() => goTo(HOME_PATH)}
        className={clsx(whereSidebarIsHidden)}
      />
      <div className="min-w-0 flex-1 px-2">
        {title !== null && <h1 className="truncate font-serif text-[1.0625rem] text-ink-2">{title}</h1>}
      </div>
      {sessionId !== null && (
        <IconButton
          label={strings.openThread(changes)}
          icon={<Spool aria-hidden />}
          onClick={on.onOpenThread}
          className="min-[900px]:hidden"
        />
      )}
      {!layout.previewOpen && (
        <IconButton
          label={previewStrings.show}
          icon={<PanelRight aria-hidden />}
          onClick={on.onShowPreview}
          className="max-[899px]:hidden"
        />
      )}
    </header>
  );
}
