import { translator } from '#components/i18n.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { ReadingDialog } from '#components/ui/dialogs/dialogs';
import { CompactionDetails } from '#components/chat/transcript/compaction-details';

const t = translator('compaction');

interface CompactionDialogProps {
  readonly session: ChatSession;
  readonly compactionId: string;
  readonly onClose: () => void;
}

/** Details of a compaction in a dialog over the conversation. */
export function CompactionDialog({ session, compactionId, onClose }: CompactionDialogProps) {
  return (
    <ReadingDialog title={t('detailsTitle')} onClose={onClose}>
      <div className="py-4">
        <CompactionDetails session={session} compactionId={compactionId} />
      </div>
    </ReadingDialog>
  );
}
