import { useCallback, useSyncExternalStore } from 'react';

/**
 * The time (epoch ms, rounded down to whole intervals), renewed every `interval` ms while mounted. Null on the
 * server, whose clock and time zone are not the reader's.
 */
export function useNow(interval: number): number | null {
  const subscribe = useCallback(
    (listener: () => void) => {
      const timer = setInterval(listener, interval);
      return () => clearInterval(timer);
    },
    [interval],
  );
  return useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / interval) * interval,
    () => null,
  );
}
