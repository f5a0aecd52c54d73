import { toast } from '#components/toast';
import { ApiError, messageOf } from '#components/api/api-error';
import type { ChatSession } from '#components/chat/session/chat-session';
import type { CompactionNotice } from '#components/chat/session/session-compactions';
import { compactionStrings, contextStrings } from '#components/context/words';
import { goTo, sessionIdOf, sessionPath } from '#components/desk/navigation';
import { reportFailure, toastWithAction } from '#components/ui/toasts';

/** Time in which the line of a summary is read and drawn; ms. */
const LINE_IS_DRAWN = 1_500;

/** The line of a summary is on screen. */
function isLineSeen(compactionId: string): boolean {
  const line = document.querySelector(`[data-compaction="${compactionId}"]`);
  const scroller = line?.closest('[role=log]')?.parentElement;
  if (!line || !scroller || !line.checkVisibility()) return false;
  const [own, seen] = [line.getBoundingClientRect(), scroller.getBoundingClientRect()];
  return own.bottom > seen.top && own.top < seen.bottom;
}

/** Shows a toast for a notice. The same event twice is one toast. */
export function tellOfCompaction(session: ChatSession, notice: CompactionNotice): void {
  switch (notice.kind) {
    case 'compacted': {
      const { compactionId } = notice.data;
      const showDetails = () => {
        // A toast stays while its reader goes elsewhere.
        if (sessionIdOf(window.location.pathname) !== session.id) goTo(sessionPath(session.id));
        session.showCompaction(compactionId);
      };
      // Its line in the transcript tells it once it is drawn; who cannot see that is told here.
      setTimeout(() => {
        if (isLineSeen(compactionId)) return;
        toastWithAction(compactionStrings.compacted, compactionStrings.whatWasKept, showDetails, { id: compactionId });
      }, LINE_IS_DRAWN);
      return;
    }
    case 'pruned': {
      const { compactionId, outputsPruned } = notice.data;
      if (compactionId === null) return;
      const text = compactionStrings.pruned(outputsPruned);
      const undo = () => undoCompaction(session, compactionId);
      return toastWithAction(text, compactionStrings.undo, undo, { id: compactionId });
    }
    case 'undone': {
      const { compactionId, strategy } = notice.data;
      // What told of it offers to undo what is undone.
      toast.dismiss(compactionId);
      toast(strategy === 'prune' ? compactionStrings.pruneUndone : compactionStrings.undone, {
        id: `${compactionId}-undone`,
      });
    }
  }
}

/**
 * One toast for a cancelled compaction, whether this tab requested it, cancelled it, or both. No other toast shares the
 * id: a toast under the id of one that is leaving disappears with it, unread.
 */
const CANCELLED = { id: 'compaction-cancelled' };

/**
 * Summarizes the conversation and says what came of it; of success all tabs are told by the event.
 * @param instructions what the summary should pay attention to
 */
export async function compactNow(session: ChatSession, instructions?: string): Promise<void> {
  try {
    if (!(await session.compactions.compact(instructions))) toast(contextStrings.nothing);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'cancelled') toast(compactionStrings.cancelled, CANCELLED);
    else toast.error(contextStrings.compactFailed(messageOf(error)));
  }
}

/** Stops the compaction that runs, and says what that means. */
export async function cancelCompaction(session: ChatSession): Promise<void> {
  const isInTurn = session.isRunning;
  try {
    if (!(await session.compactions.cancel())) toast(compactionStrings.notCancelled);
    else if (isInTurn) toast(compactionStrings.cancelledInTurn);
    else toast(compactionStrings.cancelled, CANCELLED);
  } catch (error) {
    reportFailure(error);
  }
}

/** Undoes a compaction or prune; the event announces success in all tabs. */
export async function undoCompaction(session: ChatSession, compactionId: string): Promise<void> {
  try {
    await session.compactions.undo(compactionId);
  } catch (error) {
    reportFailure(error);
  }
}
