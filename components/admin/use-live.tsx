'use client';

import clsx from 'clsx';
import { useEffect, useEffectEvent } from 'react';
import { adminStrings } from '#components/admin/words';
import { useConnection } from '#components/api/use-connection';
import { whileVisible } from '#components/ui/hooks';

/** Events may come many at a time; ms between two refreshes. */
const REFRESH_INTERVAL = 500;

interface LiveListener {
  readonly onEvent: () => void;
  readonly onOpen: () => void;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Follows events while the page can be seen, and calls `onChange` once for each burst of them: at once, and after it.
 * @param follow starts to listen
 * @param onOpen the connection stands, at first or again: what happened before is in no event
 */
export function useLive(follow: (listener: LiveListener) => void, onChange: () => void, onOpen: () => void): void {
  const start = useEffectEvent(follow);
  const change = useEffectEvent(onChange);
  const open = useEffectEvent(onOpen);
  useEffect(
    () =>
      whileVisible(() => {
        const over = new AbortController();
        let timer: ReturnType<typeof setTimeout> | null = null;
        let isDue = false;
        const fire = () => {
          isDue = false;
          change();
          timer = setTimeout(() => {
            timer = null;
            if (isDue) fire();
          }, REFRESH_INTERVAL);
        };
        start({
          onEvent: () => (timer === null ? fire() : (isDue = true)),
          onOpen: () => open(),
          signal: over.signal,
        });
        return () => {
          over.abort();
          if (timer !== null) clearTimeout(timer);
        };
      }),
    [],
  );
}

/** Says that the page follows changes live. */
export function LiveMark() {
  const isLive = useConnection() === 'online';
  return (
    <p className="flex items-center gap-2 text-xs text-ink-2">
      <span
        aria-hidden
        className={clsx('size-2 rounded-full border', isLive ? 'border-accent bg-accent' : 'border-ink-3')}
      />
      {isLive ? adminStrings.live.on : adminStrings.live.off}
    </p>
  );
}
