import { type RefObject, useEffect } from 'react';
import { toast } from 'sonner';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import type { ChatSessionState } from '#components/chat/session/chat-session-state.ts';
import { useWorkspaceCommand } from '#components/workspace/workspace-commands.ts';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { transcriptStrings } from '#components/chat/text/words.ts';

/** Time for which a message stays marked after it was scrolled into view; ms. A choice, not measured. */
const MARKED_MS = 2_500;

/** Scrolls a requested message of any age into view, and marks it for a moment. */
export function useWantedMessage(
  session: ChatSession,
  wanted: ChatSessionState['wanted'],
  content: RefObject<HTMLElement | null>,
  leaveEnd: () => void,
): void {
  useWorkspaceCommand('show-message', ({ sessionId, ...place }) => {
    if (sessionId !== session.id) return false;
    void reach(session, place);
    return true;
  });
  useEffect(() => {
    if (wanted === null) return undefined;
    const showOnceDrawn = () => {
      const row = content.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.row)}"]`);
      if (!row) return;
      observer.disconnect();
      leaveEnd();
      row.scrollIntoView({ block: 'center' });
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
      row.dataset['wanted'] = '';
      setTimeout(() => delete row.dataset['wanted'], MARKED_MS);
      session.endReach(wanted);
    };
    // Messages are drawn in small steps.
    const observer = new MutationObserver(showOnceDrawn);
    if (content.current) observer.observe(content.current, { childList: true, subtree: true });
    showOnceDrawn();
    return () => observer.disconnect();
  }, [session, wanted, content, leaveEnd]);
}

/** Loads the conversation up to the requested message; a toast tells if it is gone or the request failed. */
async function reach(session: ChatSession, place: Parameters<ChatSession['reach']>[0]): Promise<void> {
  try {
    if (!(await session.reach(place))) toast(transcriptStrings.messageGone);
  } catch (error) {
    reportFailure(error);
  }
}
