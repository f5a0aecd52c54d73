import { type RefObject, useEffect } from 'react';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import type { ChatSessionState } from '#components/chat/session/chat-session-state.ts';

/** Time for which a message stays marked after it was scrolled into view; ms. A choice, not measured. */
const MARKED_MS = 2_500;

/** Scrolls to the newest line on request, or a requested message of any age into view, and marks it for a moment. */
export function useWantedMessage(
  session: ChatSession,
  wanted: ChatSessionState['wanted'],
  content: RefObject<HTMLElement | null>,
  followEnd: () => void,
  leaveEnd: () => void,
): void {
  useEffect(() => {
    if (wanted === null) return undefined;
    const { row: wantedRow } = wanted;
    if (wantedRow === null) {
      followEnd();
      session.pages.endReach(wanted);
      return undefined;
    }
    const showOnceDrawn = () => {
      const row = content.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(wantedRow)}"]`);
      if (!row) return;
      observer.disconnect();
      leaveEnd();
      row.scrollIntoView({ block: 'center' });
      row.tabIndex = -1;
      row.focus({ preventScroll: true });
      row.dataset['wanted'] = '';
      setTimeout(() => delete row.dataset['wanted'], MARKED_MS);
      session.pages.endReach(wanted);
    };
    // Messages are drawn in small steps.
    const observer = new MutationObserver(showOnceDrawn);
    if (content.current) observer.observe(content.current, { childList: true, subtree: true });
    showOnceDrawn();
    return () => observer.disconnect();
  }, [session, wanted, content, followEnd, leaveEnd]);
}
