import { useCallback, useSyncExternalStore } from 'react';
import type { ChatSession } from '#lib/chat/chat-session';

/** Whether a turn runs, without following the words of its answer. */
export function useIsRunning(session: ChatSession | null): boolean {
  const subscribe = useCallback(
    (listener: () => void) => session?.chat['~registerStatusCallback'](listener) ?? (() => undefined),
    [session],
  );
  return useSyncExternalStore(
    subscribe,
    () => session?.isRunning ?? false,
    () => false,
  );
}
