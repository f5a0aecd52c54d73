import type { KeyboardEvent } from 'react';

/** What an input method sends for a key that it keeps to itself. */
const KEPT = 229;

/** The key belongs to an input method: Enter takes its suggestion, Escape leaves it. */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  // Safari ends the composition before it tells of the key that ended it.
  // oxlint-disable-next-line typescript/no-deprecated -- nothing else tells
  return nativeEvent.isComposing || nativeEvent.keyCode === KEPT;
}
