import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { compactionStrings } from '#components/context/words.ts';
import { ReadingDialog } from '#components/ui/dialogs/dialogs';
import { CompactionDetails } from '#components/chat/transcript/compaction-details';

interface CompactionDialogProps {
  readonly session: ChatSession;
  readonly compactionId: string;
  readonly onClose: () => void;
}

/** Details of a compaction in a dialog over the conversation. */
export function CompactionDialog({ session, compactionId, onClose }: CompactionDialogProps) {
  return (
    <ReadingDialog title={compactionStrings.detailsTitle} onClose={onClose}>
      <div className="py-4">
        <CompactionDetails session={session} compactionId={compactionId} />
      </div>
    </ReadingDialog>
  );
}
