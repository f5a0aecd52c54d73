import { useState } from 'react';
import { canUndo } from '#components/changes/group-changes';
import { undoOrRedo } from '#components/changes/undo-actions';
import { changesStrings as say } from '#components/changes/words';
import type { ChangeSet, Conflict } from '#server/core/content';

/**
 * The button that undoes a change, or redoes an undone one: its words, and the props of its element.
 * @param onConflict called with the reason if it could not be done
 * @returns null where the change cannot be taken back by itself
 */
export function useWayBack(change: ChangeSet | undefined, onConflict: (conflict: Conflict) => void) {
  const [isBusy, setIsBusy] = useState(false);
  if (!change) return null;
  const isUndone = change.undoneBy !== null;
  if (!isUndone && !canUndo(change)) return null;
  const run = async () => {
    if (isBusy) return;
    setIsBusy(true);
    const conflict = await undoOrRedo(change);
    setIsBusy(false);
    if (conflict) onConflict(conflict);
  };
  return {
    isUndone,
    text: isUndone ? say.redo : say.undo,
    'aria-label': isUndone ? say.redoLabel(change.summary) : say.undoLabel(change.summary),
    'aria-disabled': isBusy,
    onClick: () => void run(),
  };
}
