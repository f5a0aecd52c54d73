import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { cancelCompaction } from '#components/context/compaction-notices.ts';
import { Button } from '#components/ui/buttons';
import { wholeSeconds } from '#components/ui/times.ts';
import { useNow } from '#components/ui/hooks.ts';

const t = translator('compaction');

interface CompactingRowProps {
  readonly session: ChatSession;
  /** Epoch ms. */
  readonly since: number;
}

/**
 * Shows that older messages are being summarized, and for how long, with a cancel button. Placed next to the message
 * field, where it is always visible.
 */
export function CompactingRow({ session, since }: CompactingRowProps) {
  const [isCancelling, setIsCancelling] = useState(false);
  const now = useNow(1000);
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
      {t('running')}
      <span aria-hidden className="text-ink-3 tabular-nums">
        {wholeSeconds((now ?? since) - since)}
      </span>
      <Button variant="ghost" aria-label={t('cancelLabel')} disabled={isCancelling} onClick={() => void cancel()}>
        {isCancelling ? t('cancelling') : t('cancel')}
      </Button>
    </div>
  );
}
