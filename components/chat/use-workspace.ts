import { useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { UndoSelection } from '#components/changes/undo-dialog';
import type { Layout } from '#components/chat/preview/use-layout.ts';
import type { SheetPart } from '#components/history/history-sheet';
import { focusComposer } from '#components/ui/focus/focus.ts';
import type { AddressedPage } from '#components/workspace/navigation.ts';
import type { RestorePoint, WorkspaceActions } from '#components/workspace/workspace-actions.ts';

/** Below this width, chat and preview are two tabs. */
export const NARROW = '(max-width: 899px)';

/** The two parts of the workspace, which are tabs on a narrow screen. */
export type WorkspaceTab = 'chat' | 'preview';

/** The open part of a conversation's history. */
interface HistoryPart {
  /** Null if the sheet is closed. */
  readonly sheet: SheetPart | null;
  /** Checkpoint whose card is open; null: none. */
  readonly checkpointId: string | null;
}

interface OpenHistory extends HistoryPart {
  readonly sessionId: string;
}

/** The open tab, dialogs and history of the workspace. */
export interface WorkspaceState {
  readonly tab: WorkspaceTab;
  readonly showTab: (tab: WorkspaceTab) => void;
  /** The open part of the history of this conversation; null: none. */
  readonly history: OpenHistory | null;
  /** Opens a part of the history; what is not given stays as it is. */
  readonly openHistory: (part: Partial<HistoryPart>) => void;
  readonly closeHistory: () => void;
  /** Changes whose undo waits for a confirmation; null: none. */
  readonly undoing: UndoSelection | null;
  readonly endUndoing: () => void;
  /** The restore that waits for a confirmation; null: none. */
  readonly restorePoint: RestorePoint | null;
  readonly endRestore: () => void;
  /** The page that the preview has to open; null: none. */
  readonly wantedPage: AddressedPage | null;
  readonly endWantedPage: () => void;
  readonly actions: WorkspaceActions;
}

/** A hook with the state of the workspace. */
export function useWorkspace(sessionId: string | null, { save }: Layout): WorkspaceState {
  const [tab, showTab] = useState<WorkspaceTab>('chat');
  const [history, setHistory] = useState<OpenHistory | null>(null);
  const [undoing, setUndoing] = useState<UndoSelection | null>(null);
  const [restorePoint, setRestorePoint] = useState<RestorePoint | null>(null);
  const [wantedPage, setWantedPage] = useState<AddressedPage | null>(null);

  const functions = useMemo(() => {
    const isNarrow = () => window.matchMedia(NARROW).matches;
    const openHistory = (part: Partial<HistoryPart>) => {
      if (sessionId === null) return;
      setHistory((now) => {
        const opened = now?.sessionId === sessionId ? now : null;
        return { sheet: null, checkpointId: null, ...opened, ...part, sessionId };
      });
    };
    const actions: WorkspaceActions = {
      focusComposer: () => {
        if (focusComposer()) return;
        flushSync(() => showTab('chat'));
        focusComposer();
      },
      togglePreview: () => {
        if (isNarrow()) showTab((now) => (now === 'chat' ? 'preview' : 'chat'));
        else save(({ previewOpen }) => ({ previewOpen: !previewOpen }));
      },
      showHistory: (turnId) => {
        openHistory({ sheet: isNarrow() || turnId === null ? 'list' : null, checkpointId: turnId });
        showTab('chat');
      },
      showEndOfDay: () => openHistory({ sheet: 'leave', checkpointId: null }),
      undoChanges: (turnId) => {
        if (sessionId !== null) setUndoing({ sessionId, turnId });
      },
      restore: setRestorePoint,
      openPage: setWantedPage,
    };
    return {
      openHistory,
      closeHistory: () => setHistory(null),
      endUndoing: () => setUndoing(null),
      endRestore: () => setRestorePoint(null),
      endWantedPage: () => setWantedPage(null),
      actions,
    };
  }, [sessionId, save]);

  const opened = history?.sessionId === sessionId ? history : null;
  return { tab, showTab, history: opened, undoing, restorePoint, wantedPage, ...functions };
}
