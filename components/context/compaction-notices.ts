import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import { ApiError, messageOf } from '#components/api/api-error.ts';
import type { ChatSession, CompactionNotice } from '#components/chat/session/chat-session.ts';
import { goTo, sessionIdOf, sessionPath } from '#components/workspace/navigation.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';

const t = translator('compaction');
const tContext = translator('context');

/** Ids of the toasts about the latest summary, by conversation: a newer toast takes its place. */
const shownToasts = new Map<string, string>();

/** Time within which the row of a summary is loaded and rendered in the transcript; ms. */
const ROW_RENDER_DELAY = 1_500;

/** True if the row of a summary is visible in the transcript. */
function isRowVisible(compactionId: string): boolean {
  const line = document.querySelector(`[data-compaction="${compactionId}"]`);
  const scroller = line?.closest('[role=log]')?.parentElement;
  if (!line || !scroller || !line.checkVisibility()) return false;
  const [own, seen] = [line.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return own.bottom > seen.top && own.top < seen.bottom;
}

/** Shows a toast for a notice. A repeated event reuses its toast. */
export function notifyCompaction(session: ChatSession, notice: CompactionNotice): void {
  switch (notice.kind) {
    case 'compacted': {
      const { compactionId, tokensBefore, tokensAfter } = notice.data;
      const showDetails = () => {
        // The toast stays when the user opens another conversation.
        if (sessionIdOf(window.location.pathname) !== session.id) goTo(sessionPath(session.id));
        session.showCompaction(compactionId);
      };
      // The row in the transcript announces the summary. A toast is needed only if the row is not visible.
      setTimeout(() => {
        if (isRowVisible(compactionId)) return;
        const former = shownToasts.get(session.id);
        if (former !== undefined && former !== compactionId) toast.dismiss(former);
        shownToasts.set(session.id, compactionId);
        const text = `${t('compacted')} ${t('tokens', { before: tokensBefore, after: tokensAfter })}`;
        toastWithAction(text, t('whatWasKept'), showDetails, { id: compactionId });
      }, ROW_RENDER_DELAY);
      return;
    }
    case 'pruned': {
      const { compactionId, outputsPruned, tokensSaved } = notice.data;
      if (compactionId === null) return;
      const text = t('pruned', { outputs: outputsPruned, saved: tokensSaved });
      const undo = () => undoCompaction(session, compactionId);
      return toastWithAction(text, t('undo'), undo, { id: compactionId });
    }
    case 'undone': {
      const { compactionId, strategy } = notice.data;
      // Its toast would offer to undo it again.
      toast.dismiss(compactionId);
      toast(strategy === 'prune' ? t('pruneUndone') : t('undone'), {
        id: `${compactionId}-undone`,
      });
    }
  }
}

/**
 * One toast for a cancelled compaction, whether this tab requested it, cancelled it, or both. No other toast shares the
 * id: a toast with the id of one that is disappearing would disappear with it.
 */
const CANCELLED = { id: 'compaction-cancelled' };

/**
 * Summarizes the conversation and shows the result; an event reports success in all tabs.
 * @param instructions focus of the summary
 */
export async function compactNow(session: ChatSession, instructions?: string): Promise<void> {
  try {
    if (!(await session.compact(instructions))) toast(tContext('nothing'));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'cancelled') toast(t('cancelled'), CANCELLED);
    else toast.error(tContext('compactFailed', { reason: messageOf(error) }));
  }
}

/** Stops the running compaction, and explains the consequence. */
export async function cancelCompaction(session: ChatSession): Promise<void> {
  const isInTurn = session.isRunning;
  try {
    if (!(await api.cancelCompaction(session.id))) toast(t('notCancelled'));
    else if (isInTurn) toast(t('cancelledInTurn'));
    else toast(t('cancelled'), CANCELLED);
  } catch (error) {
    reportFailure(error);
  }
}

/** Undoes a compaction or prune; the event announces success in all tabs. */
export async function undoCompaction(session: ChatSession, compactionId: string): Promise<void> {
  try {
    await api.undoCompaction(session.id, compactionId);
  } catch (error) {
    reportFailure(error);
  }
}
