import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { connection, type ConnectionState } from '#components/api/connection';

/** Tells whether the server can be reached. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(
    connection.subscribe,
    () => connection.state,
    () => 'online',
  );
}

/** Calls `start` while the page can be seen, and what it gives back as soon as it cannot. Gives back what ends both. */
export function whileVisible(start: () => () => void): () => void {
  let stop: (() => void) | null = null;
  const update = () => {
    if (document.visibilityState === 'visible') {
      stop ??= start();
    } else {
      stop?.();
      stop = null;
    }
  };
  update();
  document.addEventListener('visibilitychange', update);
  return () => {
    document.removeEventListener('visibilitychange', update);
    stop?.();
  };
}

/**
 * Loads again, once the connection is back, what could not be loaded without it.
 * @returns to be told of every load whether it came
 */
export function useReloadWhenBack(reload: () => void): (hasCome: boolean) => void {
  const isMissing = useRef(false);
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.state === 'online' && isMissing.current) reload();
      }),
    [reload],
  );
  return useCallback((hasCome: boolean) => {
    isMissing.current = !hasCome;
  }, []);
}
