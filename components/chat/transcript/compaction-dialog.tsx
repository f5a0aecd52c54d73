import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { ChatSession } from '#components/chat/session/chat-session';
import { useChatActions } from '#components/chat/transcript/chat-actions';
import { compactionStrings } from '#components/context/words';
import { Tip } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import type { CompactionComplete, CompactionData } from '#server/core/events';

const ReadingDialog = fetchedLater(async () => (await import('#components/ui/dialogs')).ReadingDialog);

interface CompactionDialogProps {
  readonly session: ChatSession;
  /** Null: closed. */
  readonly compactionId: string | null;
}

/** Details of a compaction in a dialog over the conversation. */
export function CompactionDialog({ session, compactionId }: CompactionDialogProps) {
  if (compactionId === null) return null;
  return (
    <ReadingDialog title={compactionStrings.detailsTitle} onClose={() => session.showCompaction(null)}>
      <div className="py-4">
        <CompactionDetails session={session} compactionId={compactionId} />
      </div>
    </ReadingDialog>
  );
}

/** The place in the transcript where older messages were summarized. While that happens, a row beside the composer says so. */
export function CompactionLine({ compaction }: { readonly compaction: CompactionData }) {
  if (compaction.phase === 'start') return null;
  if (compaction.phase === 'failed') return <FailedLine reason={compaction.message} />;
  return <CompactedLine compaction={compaction} />;
}

function FailedLine({ reason }: { readonly reason: string }) {
  return (
    <div role="note" className="flex items-center gap-3 py-2 font-sans text-xs text-ink-3">
      <Rule />
      <Tip text={reason}>
        <button type="button" className="cursor-help rounded text-center">
          {compactionStrings.failed}
        </button>
      </Tip>
      <Rule />
    </div>
  );
}

function CompactedLine({ compaction }: { readonly compaction: CompactionComplete }) {
  const { session } = useChatActions();
  const [isOpen, setIsOpen] = useState(false);
  const detailsId = useId();
  const { compactionId } = compaction;
  return (
    <div role="note" data-compaction={compactionId} className="py-2 font-sans">
      <div className="flex items-center gap-3 text-xs text-ink-3">
        <Rule />
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          title={compactionStrings.explain}
          onClick={() => setIsOpen(!isOpen)}
          className="flex items-center gap-1 rounded px-1 py-0.5 text-center tabular-nums hover:text-ink"
        >
          {compactionStrings.done}
          <ChevronRight aria-hidden className={clsx('size-3.5 shrink-0 transition-transform', isOpen && 'rotate-90')} />
        </button>
        <Rule />
      </div>
      {isOpen && (
        <div id={detailsId} className="mt-3 animate-rise rounded-xl border border-rule bg-sheet p-4 sm:p-5">
          <CompactionDetails session={session} compactionId={compactionId} />
        </div>
      )}
    </div>
  );
}

function Rule() {
  return <span aria-hidden className="h-px min-w-5 flex-1 bg-rule-strong" />;
}

/** Loaded when first shown. */
const CompactionDetails = fetchedLater(
  async () => (await import('#components/chat/transcript/compaction-details')).default,
  () => <p className="text-sm text-ink-3">{compactionStrings.detailsLoading}</p>,
);
