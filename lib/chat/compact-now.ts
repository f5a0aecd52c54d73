import { toast } from 'sonner';
import { ApiError } from '#lib/api/api-error';
import type { ChatSession } from '#lib/chat/chat-session';
import { messageOf } from '#lib/ui/message-of';
import { reportFailure } from '#lib/ui/report-failure';
import { strings } from '#lib/strings';

/**
 * One word on a compaction that was asked for and cancelled, whether this tab asked, cancelled, or both. Of no other
 * toast: what is said under the id of one that just leaves the screen leaves with it, unread.
 */
const CANCELLED = { id: 'compaction-cancelled' };

/**
 * Summarizes the conversation and says what came of it; of success all tabs are told by the event.
 * @param instructions what the summary should pay attention to
 */
export async function compactNow(session: ChatSession, instructions?: string): Promise<void> {
  try {
    if (!(await session.compact(instructions))) toast(strings.context.nothing);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'cancelled') toast(strings.compaction.cancelled, CANCELLED);
    else toast.error(strings.context.compactFailed(messageOf(error)));
  }
}

/** Stops the compaction that runs, and says what that means. */
export async function cancelCompaction(session: ChatSession): Promise<void> {
  const isInTurn = session.isRunning;
  try {
    if (!(await session.compactions.cancel())) toast(strings.compaction.notCancelled);
    else if (isInTurn) toast(strings.compaction.cancelledInTurn);
    else toast(strings.compaction.cancelled, CANCELLED);
  } catch (error) {
    reportFailure(error);
  }
}

/** Takes a compaction or prune back; of success all tabs are told by the event. */
export async function undoCompaction(session: ChatSession, compactionId: string): Promise<void> {
  try {
    await session.undoCompaction(compactionId);
  } catch (error) {
    reportFailure(error);
  }
}
