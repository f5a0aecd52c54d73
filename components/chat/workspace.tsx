'use client';

import clsx from 'clsx';
import { PanelLeft, PanelRight, Spool, SquarePen } from 'lucide-react';
import { type CSSProperties, useEffect, useEffectEvent, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useOutsideChanges } from '#components/changes/use-outside-changes.ts';
import { DropZone } from '#components/chat/composer/attachments';
import { Conversation } from '#components/chat/conversation';
import { NewChat } from '#components/chat/new-chat';
import { PreviewPane } from '#components/chat/preview/preview-pane';
import { DelayedCheckpoint } from '#components/chat/preview/delayed-checkpoint.ts';
import { usePreview } from '#components/chat/preview/preview-view.ts';
import { ResizeHandle } from '#components/chat/preview/resize-handle';
import type { Layout } from '#components/chat/preview/use-layout.ts';
import { NEW_DRAFT } from '#components/chat/session/drafts.ts';
import { useSessionTitle } from '#components/chat/session-list/use-sessions.ts';
import { openMessage } from '#components/chat/session/chat-sessions.ts';
import { NARROW, type WorkspaceState, type WorkspaceTab } from '#components/chat/use-workspace.ts';
import { previewUpdates } from '#components/workspace/content-cache.ts';
import { focusComposer } from '#components/ui/focus/focus.ts';
import { reportOpenPage } from '#components/workspace/current-view.ts';
import { chooseOn } from '#components/editor/model/selection.ts';
import { countChangesInEffect, historyPointOf } from '#components/history/checkpoints.ts';
import { useHistory } from '#components/history/use-history.ts';
import type { Checkpoint } from '#server/core/conversation/history';
import type { ChangeSet } from '#server/core/site/changes';
import type { LayoutPreferences } from '#components/workspace/parse-layout.ts';
import { isOnOtherSite, useSites } from '#components/workspace/site-of-page';
import { goTo, HOME_PATH, pageOfAddress, replacePath } from '#components/workspace/navigation.ts';
import { Choices } from '#components/ui/controls/choices';
import { IconButton } from '#components/ui/buttons';
import { OpenPage } from '#components/editor/page/open-page.ts';
import { UndoDialog } from '#components/changes/undo-dialog';
import { HistoryTimeline } from '#components/history/history-timeline';
import { HistorySheet } from '#components/history/history-sheet';
import { RestoreDialog } from '#components/history/restore-dialog';
import { useIsTouched, useMediaQuery } from '#components/ui/hooks.ts';

const tTab = translator('tab');
const t = translator('sidebar');
const tPreview = translator('preview');
const tShared = translator('shared');

/** URL hash that opens the history of a conversation, or one of its turns. */
const CHANGES_HASH = /^#changes=?(\w*)$/;
/** URL hash that leads to a message. */
const MESSAGE_HASH = /^#message=(msg_\w+)$/;

interface WorkspaceProps {
  readonly sessionId: string | null;
  readonly layout: Layout;
  readonly workspace: WorkspaceState;
  readonly onShowSidebar: () => void;
}

/** The conversation and the page it edits: side by side, or as two tabs on narrow screens (below 900px). */
export function Workspace({ sessionId, layout, workspace, onShowSidebar }: WorkspaceProps) {
  const { tab, showTab, history: opened, openHistory, actions } = workspace;
  const preview = usePreview();
  // On a narrow screen no device needs to be simulated.
  const isNarrow = useMediaQuery(NARROW);
  const title = useSessionTitle(sessionId);
  const history = useHistory(sessionId);
  const showCheckpoint = (checkpoint: Checkpoint | null, path?: string) => {
    const point = checkpoint === null || sessionId === null ? null : historyPointOf(sessionId, checkpoint);
    // A summary changed nothing on the site, so the preview stays.
    if (checkpoint !== null && point === null) return;
    delayedCheckpoint.showPoint(point, path);
    if (!layout.previewOpen) layout.save({ previewOpen: true });
  };

  const openPath = layout.previewOpen ? preview.path : null;
  useEffect(() => {
    reportOpenPage(openPath === null ? undefined : { path: openPath, state: preview.mode });
    return () => reportOpenPage(undefined);
  }, [openPath, preview.mode]);
  // An earlier state is read-only.
  const pointed = preview.mode === 'draft' && preview.point === null ? openPath : null;
  const isTouched = useIsTouched();
  /** The address opens a page of the site. Nothing is rendered for it, so the server need not know. */
  const [isPointed] = useState(() => typeof window !== 'undefined' && pageOfAddress(window.location) !== null);
  useOutsideChanges(sessionId, preview.noteChanges);
  const updatePreview = useEffectEvent((written: readonly ChangeSet[]) =>
    written.length === 0 ? preview.reload() : preview.showChanges(written),
  );
  useEffect(() => previewUpdates.listen((written) => updatePreview(written)), []);
  useEffect(() => {
    if (sessionId === null) return;
    const [, turnId] = CHANGES_HASH.exec(window.location.hash) ?? [];
    const [, messageId] = MESSAGE_HASH.exec(window.location.hash) ?? [];
    if (turnId === undefined && messageId === undefined) return;
    replacePath(window.location.pathname);
    if (turnId !== undefined) actions.showHistory(turnId === '' ? null : turnId);
    if (messageId !== undefined) void openMessage({ sessionId, messageId, turnId: null });
  }, [sessionId, actions]);

  const sites = useSites();
  const isElsewhere = useEffectEvent(() => isOnOtherSite(sites));
  const openPage = useEffectEvent((path: string) => {
    preview.goTo(path);
    showTab('preview');
    if (!layout.previewOpen) layout.save({ previewOpen: true });
  });
  useEffect(() => {
    const page = pageOfAddress(window.location);
    // A page of another site is opened after the reload that changes the site.
    if (page === null || isElsewhere()) return;
    replacePath(window.location.pathname);
    openPage(page.path);
    if (page.sectionId === null) return;
    chooseOn(page.path, page.sectionId);
    focusComposer();
  }, []);
  const { wantedPage, endWantedPage } = workspace;
  useEffect(() => {
    if (wantedPage === null) return;
    endWantedPage();
    openPage(wantedPage.path);
    if (wantedPage.sectionId !== null) chooseOn(wantedPage.path, wantedPage.sectionId);
  }, [wantedPage, endWantedPage]);
  // Shows a checkpoint only when the pointer rests, because each is a page to load.
  const [delayedCheckpoint] = useState(() => new DelayedCheckpoint(preview.showPoint));
  useEffect(() => delayedCheckpoint.stop, [delayedCheckpoint]);
  const { showPoint, point } = preview;
  useEffect(() => {
    // An earlier state belongs to one conversation.
    if (point !== null && point.sessionId !== sessionId) showPoint(null);
  }, [showPoint, point, sessionId]);

  useEffect(() => {
    document.title = title === null ? tShared('product') : `${title} · ${tShared('product')}`;
  }, [title]);

  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <TabSwitch tab={tab} onChange={showTab} className="min-[900px]:hidden" />
      <div className="flex min-h-0 flex-1 min-[900px]:p-2">
        <section
          aria-label={tTab('chat')}
          className={clsx(
            'relative min-w-0 flex-1 flex-col overflow-hidden bg-paper min-[900px]:flex min-[900px]:min-w-96 min-[900px]:rounded-xl min-[900px]:border min-[900px]:border-rule',
            tab === 'chat' ? 'flex' : 'hidden',
          )}
        >
          <ChatHeader
            sessionId={sessionId}
            title={title}
            layout={layout}
            changes={countChangesInEffect(history.checkpoints)}
            onShowSidebar={onShowSidebar}
            onShowPreview={() => layout.save({ previewOpen: true })}
            onOpenHistory={() => openHistory({ sheet: 'list', checkpointId: null })}
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
                    showTab('preview');
                    if (!layout.previewOpen) layout.save({ previewOpen: true });
                  }}
                  onWrite={preview.showWrite}
                  onOpen={preview.showFirst}
                />
              </div>
              <HistoryTimeline
                key={sessionId}
                sessionId={sessionId}
                history={history}
                openId={opened?.sheet === null ? opened.checkpointId : null}
                onOpen={(checkpointId) => openHistory({ sheet: null, checkpointId })}
                point={preview.point?.changeId ?? null}
                onShowPoint={showCheckpoint}
                onSearch={() => openHistory({ sheet: 'search', checkpointId: null })}
                onWrapUp={() => openHistory({ sheet: 'leave', checkpointId: null })}
              />
            </div>
          )}
          <DropZone draftKey={sessionId ?? NEW_DRAFT} />
          {opened !== null && opened.sheet !== null && (
            <HistorySheet
              key={opened.sheet}
              sessionId={opened.sessionId}
              history={history}
              part={opened.sheet}
              openId={opened.checkpointId}
              onOpen={(checkpointId) => openHistory({ checkpointId })}
              onShowPoint={(checkpoint, path) => {
                showCheckpoint(checkpoint, path);
                showTab('preview');
              }}
              onClose={workspace.closeHistory}
            />
          )}
          {workspace.restorePoint !== null && sessionId !== null && (
            <RestoreDialog
              sessionId={sessionId}
              point={workspace.restorePoint}
              onClose={workspace.endRestore}
              onDone={() => {
                workspace.closeHistory();
                preview.showPoint(null);
              }}
            />
          )}
          {pointed !== null && (isTouched || isPointed) && <OpenPage path={pointed} />}
          {workspace.undoing && <UndoDialog selection={workspace.undoing} onClose={workspace.endUndoing} />}
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
            onTheme={(previewLook) => layout.save({ previewLook })}
            onHide={() => layout.save({ previewOpen: false })}
            onAsk={actions.focusComposer}
          />
        </div>
      </div>
    </main>
  );
}

interface TabSwitchProps {
  readonly tab: WorkspaceTab;
  readonly onChange: (tab: WorkspaceTab) => void;
  readonly className?: string;
}

/** Switch between chat and preview on narrow screens. */
function TabSwitch({ tab, onChange, className }: TabSwitchProps) {
  return (
    <Choices
      label={tTab('label')}
      value={tab}
      choices={{ chat: tTab('chat'), preview: tTab('preview') }}
      onChange={onChange}
      className={clsx('flex shrink-0 border-b border-rule bg-paper px-3', className)}
      choiceClassName="h-11 flex-1 border-b-2 border-transparent text-sm text-ink-2 aria-checked:border-accent aria-checked:font-medium aria-checked:text-ink"
    />
  );
}

interface ChatHeaderProps {
  /** Null on the empty workspace. */
  readonly sessionId: string | null;
  readonly title: string | null;
  readonly layout: LayoutPreferences;
  /** Number of the conversation's changes that are in effect. */
  readonly changes: number;
  readonly onShowSidebar: () => void;
  readonly onShowPreview: () => void;
  readonly onOpenHistory: () => void;
}

/** The header of the conversation: its title, and buttons for the parts hidden at this width. */
function ChatHeader({ sessionId, title, layout, changes, ...on }: ChatHeaderProps) {
  const whereSidebarIsHidden = layout.sidebarOpen && 'min-[1180px]:hidden';
  return (
    <header className="flex h-13 shrink-0 items-center gap-1 px-2">
      <IconButton
        label={t('open')}
        icon={<PanelLeft aria-hidden />}
        onClick={on.onShowSidebar}
        className={clsx(whereSidebarIsHidden)}
      />
      <IconButton
        label={t('newChat')}
        icon={<SquarePen aria-hidden />}
        onClick={() => goTo(HOME_PATH)}
        className={clsx(whereSidebarIsHidden)}
      />
      <div className="min-w-0 flex-1 px-2">
        {title !== null && <h1 className="truncate font-serif text-[1.0625rem] text-ink-2">{title}</h1>}
      </div>
      {sessionId !== null && (
        <IconButton
          label={tShared('openHistory', { changes })}
          icon={<Spool aria-hidden />}
          onClick={on.onOpenHistory}
          className="min-[900px]:hidden"
        />
      )}
      {!layout.previewOpen && (
        <IconButton
          label={tPreview('show')}
          icon={<PanelRight aria-hidden />}
          onClick={on.onShowPreview}
          className="max-[899px]:hidden"
        />
      )}
    </header>
  );
}
