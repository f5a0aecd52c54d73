import { useState } from 'react';
import { strings } from '#lib/strings';
import { useNow } from '#lib/use-now';

interface CompactingRowProps {
  /** Epoch ms; the moment of mounting when left out. */
  readonly since?: number | undefined;
}

/** Says calmly that older messages are being summarized, and for how long. */
export function CompactingRow({ since }: CompactingRowProps) {
  const [mounted] = useState(() => Date.now());
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor(((now ?? mounted) - (since ?? mounted)) / 1000));
  return (
    <div className="flex animate-rise items-center gap-3 py-2 font-sans text-sm text-ink-2">
      <span aria-hidden className="flex flex-col gap-[3px]">
        <span className="h-[2px] w-5 animate-breathe rounded bg-accent" />
        <span className="h-[2px] w-3.5 animate-breathe rounded bg-accent [animation-delay:200ms]" />
        <span className="h-[2px] w-2 animate-breathe rounded bg-accent [animation-delay:400ms]" />
      </span>
      {strings.compaction.running}
      <span aria-hidden className="text-ink-3 tabular-nums">
        {strings.compaction.seconds(seconds)}
      </span>
    </div>
  );
}
