import { useCallback, useEffect, useRef } from 'react';
import { connection } from '#lib/api/connection';

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
