import { CompactingRow } from '#components/context/compacting-row';
import { Tip } from '#components/ui/tip';
import { strings } from '#lib/strings';
import type { CompactionData } from '#server/core/events';

interface CompactionLineProps {
  readonly compaction: CompactionData;
  /** The turn it belongs to still runs. */
  readonly isLive: boolean;
}

/** The place in the transcript where older messages were summarized. */
export function CompactionLine({ compaction, isLive }: CompactionLineProps) {
  if (compaction.phase === 'start') return isLive ? <CompactingRow /> : null;
  if (compaction.phase === 'failed') return <Divider text={strings.compaction.failed} hint={compaction.message} />;
  const { tokensBefore, tokensAfter, messagesCompacted, wasSummarized } = compaction;
  return (
    <Divider
      text={
        wasSummarized
          ? strings.compaction.done(tokensBefore, tokensAfter, messagesCompacted)
          : strings.compaction.cleared(tokensBefore, tokensAfter)
      }
      hint={strings.compaction.kept}
    />
  );
}

function Divider({ text, hint }: { readonly text: string; readonly hint: string }) {
  return (
    <div role="note" className="flex items-center gap-3 py-2 font-sans text-xs text-ink-3">
      <span aria-hidden className="h-px min-w-5 flex-1 bg-rule-strong" />
      <Tip text={hint}>
        <button type="button" className="cursor-help text-center tabular-nums">
          {text}
        </button>
      </Tip>
      <span aria-hidden className="h-px min-w-5 flex-1 bg-rule-strong" />
    </div>
  );
}
