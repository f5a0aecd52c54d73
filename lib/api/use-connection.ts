import { useSyncExternalStore } from 'react';
import { connection } from '#lib/api/connection';
import type { ConnectionState } from '#lib/api/connection';

/** Whether the server can be reached. */
export function useConnection(): ConnectionState {
  return useSyncExternalStore(
    connection.subscribe,
    () => connection.state,
    () => 'online',
  );
}
