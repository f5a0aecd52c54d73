import type { KeyboardEvent } from 'react';
import type { UndoRedo } from '#components/editor/model/undo-redo.ts';

/**
 * Handles Ctrl+Z (and Shift+Ctrl+Z, redo) in a text field: if the browser has no step to undo in the field, undoes the
 * newest change of the site, as the key does outside of fields. Ignores other keys and elements.
 * @param undoRedo null: only steps in the field can be undone
 */
export function undoBeyondText(
  { key, shiftKey, ctrlKey, metaKey, altKey, target }: KeyboardEvent,
  undoRedo: UndoRedo | null,
): void {
  const isText = target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
  if (!isText || key.toLowerCase() !== 'z' || !(ctrlKey || metaKey) || altKey) return;
  let isUndone = false;
  const note = () => {
    isUndone = true;
  };
  target.addEventListener('input', note, { once: true });
  // Waits until the browser has handled the key.
  setTimeout(() => {
    target.removeEventListener('input', note);
    if (!isUndone) undoRedo?.[shiftKey ? 'redo' : 'undo']();
  });
}
