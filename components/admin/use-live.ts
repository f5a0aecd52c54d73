'use client';

import { useEffect, useEffectEvent } from 'react';
import { whileVisible } from '#components/ui/hooks.ts';

/** Least time between two refreshes, because events may come in bursts; ms. */
const REFRESH_INTERVAL = 500;

/** Callbacks for a subscription to events. */
interface LiveListener {
  readonly onEvent: () => void;
  readonly onOpen: () => void;
  /** Ends the subscription. */
  readonly signal: AbortSignal;
}

/**
 * Follows events while the page is visible. For each burst of events, calls `onChange` immediately, then at most every
 * REFRESH_INTERVAL, and once after the last event.
 * @param follow subscribes to the events
 * @param onOpen called when the connection opens, at first or again; changes made before are not reported as events
 */
export function useLive(follow: (listener: LiveListener) => void, onChange: () => void, onOpen: () => void): void {
  const start = useEffectEvent(follow);
  const change = useEffectEvent(onChange);
  const open = useEffectEvent(onOpen);
  useEffect(
    () =>
      whileVisible(() => {
        const subscription = new AbortController();
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
          signal: subscription.signal,
        });
        return () => {
          subscription.abort();
          if (timer !== null) clearTimeout(timer);
        };
      }),
    [],
  );
}
