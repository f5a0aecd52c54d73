import type { KeyboardEvent } from 'react';
import { sendWorkspaceCommand } from '#components/workspace/workspace-commands.ts';

/**
 * Handles Ctrl+Z (and Shift+Ctrl+Z, redo) in a text field: if the browser has no step to undo in the field, undoes the
 * newest change of the site, as the key does outside of fields. Ignores other keys and elements.
 */
export function undoBeyondText({ key, shiftKey, ctrlKey, metaKey, altKey, target }: KeyboardEvent): void {
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
    if (!isUndone) sendWorkspaceCommand(shiftKey ? 'redo' : 'undo', null);
  });
}
