import { useState } from 'react';
import { cancelCompaction } from '#lib/chat/compact-now';
import { Button } from '#components/ui/button';
import type { ChatSession } from '#lib/chat/chat-session';
import { duration } from '#lib/ui/format';
import { strings } from '#lib/strings';
import { useNow } from '#lib/ui/use-now';

interface CompactingRowProps {
  readonly session: ChatSession;
  /** Epoch ms. */
  readonly since: number;
}

/**
 * Says calmly that older messages are being summarized, and for how long; it can be cancelled. Beside the composer, where
 * it is in view wherever the reader is.
 */
export function CompactingRow({ session, since }: CompactingRowProps) {
  const [isCancelling, setIsCancelling] = useState(false);
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor(((now ?? since) - since) / 1000));
  const cancel = async () => {
    setIsCancelling(true);
    await cancelCompaction(session);
    setIsCancelling(false);
  };
  return (
    <div className="flex animate-rise items-center gap-3 px-3 py-1.5 font-sans text-sm text-ink-2">
      <span aria-hidden className="flex flex-col gap-[3px]">
        <span className="h-[2px] w-5 animate-breathe rounded bg-accent" />
        <span className="h-[2px] w-3.5 animate-breathe rounded bg-accent [animation-delay:200ms]" />
        <span className="h-[2px] w-2 animate-breathe rounded bg-accent [animation-delay:400ms]" />
      </span>
      {strings.compaction.running}
      <span aria-hidden className="text-ink-3 tabular-nums">
        {seconds < 60 ? strings.compaction.seconds(seconds) : duration(seconds * 1000)}
      </span>
      <Button
        variant="ghost"
        aria-label={strings.compaction.cancelLabel}
        disabled={isCancelling}
        onClick={() => void cancel()}
      >
        {isCancelling ? strings.compaction.cancelling : strings.compaction.cancel}
      </Button>
    </div>
  );
}
