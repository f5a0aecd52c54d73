import clsx from 'clsx';
import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import { localizedText } from '#components/message-text.ts';
import { useChatActions } from '#components/chat/transcript/chat-actions.ts';
import { Tip } from '#components/ui/tip';
import { CompactionDetails } from '#components/chat/transcript/compaction-details';
import type { CompactionComplete, CompactionData } from '#server/core/conversation/events';

const t = translator('compaction');

/**
 * The place in the transcript where older messages were summarized. During the compaction, a row above the message
 * field shows its progress.
 */
export function CompactionLine({ compaction }: { readonly compaction: CompactionData }) {
  if (compaction.phase === 'start') return null;
  if (compaction.phase === 'failed')
    return <FailedLine reason={localizedText(compaction.reason, compaction.message)} />;
  return <CompactedLine compaction={compaction} />;
}

function FailedLine({ reason }: { readonly reason: string }) {
  return (
    <div role="note" className="flex items-center gap-3 py-2 font-sans text-xs text-ink-3">
      <Rule />
      <Tip text={reason}>
        <button type="button" className="cursor-help rounded text-center">
          {t('failed')}
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
          title={t('explain')}
          onClick={() => setIsOpen(!isOpen)}
          className="flex items-center gap-1 rounded px-1 py-0.5 text-center tabular-nums hover:text-ink"
        >
          {t('done')}
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
