import { type RefObject, useEffect } from 'react';
import { toast } from 'sonner';
import type { ChatSession } from '#components/chat/session/chat-session';
import type { ChatSessionState } from '#components/chat/session/chat-session-state';
import { useDeskRequest } from '#components/desk/desk-requests';
import { reportFailure } from '#components/ui/toasts';
import { strings } from '#components/words';

/** Time that a message stays marked after it was brought into view; ms. */
const MARKED_FOR = 2_500;

/** Brings a message into view when somebody asks for it, however old it is, and marks it for a moment. */
export function useWantedMessage(
  session: ChatSession,
  wanted: ChatSessionState['wanted'],
  content: RefObject<HTMLElement | null>,
  leaveEnd: () => void,
): void {
  useDeskRequest('show-message', ({ sessionId, ...place }) => {
    if (sessionId !== session.id) return false;
    void reach(session, place);
    return true;
  });
  useEffect(() => {
    if (wanted === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const row = content.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wanted.row)}"]`);
      if (!row) return;
      drawn.disconnect();
      leaveEnd();
      row.scrollIntoView({ block: 'center' });
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
      row.dataset['wanted'] = '';
      timer = setTimeout(() => delete row.dataset['wanted'], MARKED_FOR);
    };
    // Messages are drawn a few at a time.
    const drawn = new MutationObserver(look);
    if (content.current) drawn.observe(content.current, { childList: true, subtree: true });
    look();
    return () => {
      drawn.disconnect();
      clearTimeout(timer);
    };
  }, [wanted, content, leaveEnd]);
}

async function reach(session: ChatSession, place: Parameters<ChatSession['reach']>[0]): Promise<void> {
  try {
    if (!(await session.reach(place))) toast(strings.transcript.messageGone);
  } catch (error) {
    reportFailure(error);
  }
}
