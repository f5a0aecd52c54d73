import { type KeyboardEvent, useSyncExternalStore } from 'react';

/** Key code of a key that an input method keeps to itself. */
const KEPT = 229;

/** The key belongs to an input method: Enter takes its suggestion, Escape leaves it. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  // Safari ends the composition before it tells of the key that ended it.
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else tells
  return nativeEvent.isComposing || nativeEvent.keyCode === KEPT;
}

/** True if keyboards of this platform have a Command key. */
export function isApplePlatform(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}

/** True on Apple platforms, for rendering; false on the server. */
export function useIsApple(): boolean {
  return useSyncExternalStore(
    () => () => undefined,
    isApplePlatform,
    () => false,
  );
}

/**
 * For `onKeyDown` of a text field that is edited in place: Enter submits, Escape cancels and goes no further. Shift+Enter
 * stays a new line, and keys of an input method are left to it.
 */
export function submitKeys(submit: () => void, cancel: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') {
      event.stopPropagation();
      cancel();
    }
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    submit();
  };
}
