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
