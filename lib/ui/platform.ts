import { useSyncExternalStore } from 'react';

/** Whether keyboards of this platform have a Command key. */
export function isApplePlatform(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

const never = () => () => undefined;

/** The same for what is drawn; on the server, where nobody knows, not. */
export function useIsApple(): boolean {
  return useSyncExternalStore(never, isApplePlatform, () => false);
}
