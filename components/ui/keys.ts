import { type KeyboardEvent, useSyncExternalStore } from 'react';

/** `keyCode` of a key that an input method handles (UI Events specification). */
const COMPOSITION_KEY_CODE = 229;

/** True if an input method handles the key: Enter accepts its suggestion, Escape closes it. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  // Safari ends the composition before the key event that ended it.
  // oxlint-disable-next-line typescript/no-deprecated -- no other property shows this
  return nativeEvent.isComposing || nativeEvent.keyCode === COMPOSITION_KEY_CODE;
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
 * For `onKeyDown` of a text field that is edited in place: Enter submits, Escape cancels without bubbling. Shift+Enter
 * starts a new line, and keys of an input method are ignored.
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
