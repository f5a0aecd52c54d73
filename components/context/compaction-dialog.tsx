import { CompactionDetails } from '#components/context/compaction-details-later';
import { ReadingDialog } from '#components/ui/reading-dialog';
import type { ChatSession } from '#lib/chat/chat-session';
import { strings } from '#lib/strings';

interface CompactionDialogProps {
  readonly session: ChatSession;
  /** Null: closed. */
  readonly compactionId: string | null;
}

/** What a compaction made and kept, over the conversation: also where its line is far away. */
export function CompactionDialog({ session, compactionId }: CompactionDialogProps) {
  if (compactionId === null) return null;
  return (
    <ReadingDialog title={strings.compaction.detailsTitle} onClose={() => session.showCompaction(null)}>
      <div className="py-4">
        <CompactionDetails session={session} compactionId={compactionId} />
      </div>
    </ReadingDialog>
  );
}
