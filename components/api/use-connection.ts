import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import { connection, type ConnectionState } from '#components/api/connection.ts';

/** The connection state, as a hook. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(
    connection.subscribe,
    () => connection.state,
    () => 'online',
  );
}

/**
 * Reloads data that could not be loaded, once the connection is back.
 * @returns function to call after every load, with true if it succeeded
 */
export function useReloadWhenBack(reload: () => void): (isLoaded: boolean) => void {
  const isMissing = useRef(false);
  useEffect(
    () =>
      connection.subscribe(() => {
        if (connection.state === 'online' && isMissing.current) reload();
      }),
    [reload],
  );
  return useCallback((isLoaded: boolean) => {
    isMissing.current = !isLoaded;
  }, []);
}
