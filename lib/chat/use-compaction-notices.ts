import { useEffect } from 'react';
import { toast } from 'sonner';
import { undoCompaction } from '#lib/chat/compact-now';
import type { ChatSession } from '#lib/chat/chat-session';
import { goTo, sessionIdOf, sessionPath } from '#lib/desk/navigation';
import type { CompactionNotice } from '#lib/chat/session-compactions';
import { strings } from '#lib/strings';
import { toastWithAction } from '#lib/ui/toast-with-action';

/** Tells of one. The same event twice is one toast. */
export function tellOfCompaction(session: ChatSession, notice: CompactionNotice): void {
  switch (notice.kind) {
    case 'compacted': {
      const { compactionId, tokensBefore, tokensAfter } = notice.data;
      const text = strings.compaction.compacted(tokensBefore, tokensAfter);
      const showDetails = () => {
        // A toast stays while its reader goes elsewhere.
        if (sessionIdOf(window.location.pathname) !== session.id) goTo(sessionPath(session.id));
        session.showCompaction(compactionId);
      };
      return toastWithAction(text, strings.compaction.whatWasKept, showDetails, { id: compactionId });
    }
    case 'pruned': {
      const { compactionId, outputsPruned, tokensSaved } = notice.data;
      if (compactionId === null) return;
      const text = strings.compaction.pruned(outputsPruned, tokensSaved);
      const undo = () => undoCompaction(session, compactionId);
      return toastWithAction(text, strings.compaction.undo, undo, { id: compactionId });
    }
    case 'undone': {
      const { compactionId, strategy } = notice.data;
      // What told of it offers to undo what is undone.
      toast.dismiss(compactionId);
      toast(strategy === 'prune' ? strings.compaction.pruneUndone : strings.compaction.undone, {
        id: `${compactionId}-undone`,
      });
    }
  }
}

/** Tells of compactions and prunes as they happen, in every tab that shows the conversation. */
export function useCompactionNotices(session: ChatSession): void {
  useEffect(() => session.compactions.onNotice((notice) => tellOfCompaction(session, notice)), [session]);
}
