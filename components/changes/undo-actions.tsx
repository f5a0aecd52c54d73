import { showWritten } from '#components/desk/content-cache';
import { useState } from 'react';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { ApiError } from '#components/api/api-error';
import { canUndo } from '#components/changes/change-facts';
import { changesStrings } from '#components/changes/words';
import { inYourWords } from '#components/served-words';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { ChangeSet, Conflict } from '#server/core/changes';

const say = changesStrings;
/** Steps back and forth share one toast: only the newest is told. */
const STEP = { id: 'undo-step' };

/**
 * Undoes one change.
 * @throws ApiError, 409 where something later would be lost
 */
export async function undoOne({ id, summary }: Pick<ChangeSet, 'id' | 'summary'>, sessionId?: string): Promise<void> {
  const undone = await api.undoChange(id, sessionId);
  showWritten(undone);
  const redo = () => redoOne(undone[0].id, summary, sessionId);
  toastWithAction(say.undoneToast(inYourWords(summary)), say.redo, redo, STEP);
}

/**
 * Redoes a change by undoing its undo.
 * @throws ApiError as undoOne
 */
export async function redoOne(undoId: string, summary: string, sessionId?: string): Promise<void> {
  const redone = await api.undoChange(undoId, sessionId);
  showWritten(redone);
  const undo = () => undoOne({ id: redone[0].id, summary }, sessionId);
  toastWithAction(say.redoneToast(inYourWords(summary)), say.undo, undo, STEP);
}

/**
 * Undoes a change, or redoes an undone one, and tells the user the result. Returns the conflict, for the caller to
 * show, where something later would be lost. What is known of it may be outdated: it is read anew.
 */
export async function undoOrRedo(changeId: string): Promise<Conflict | null> {
  let change: ChangeSet | undefined;
  try {
    const read = (id: string) =>
      api.get<{ change: ChangeSet; blockedBy: readonly ChangeSet[] | null }>(paths.change(id));
    const own = await read(changeId);
    ({ change } = own);
    const blockedBy = (change.undoneBy === null ? own : await read(change.undoneBy)).blockedBy ?? [];
    if (blockedBy.length > 0) return { change, blockedBy: [...blockedBy], message: '' };
    const { sessionId } = change.origin;
    if (change.undoneBy === null) await undoOne(change, sessionId);
    else await redoOne(change.undoneBy, change.summary, sessionId);
  } catch (error) {
    if (change && error instanceof ApiError && error.status === 409)
      return { change, blockedBy: [], message: error.message };
    reportFailure(error);
  }
  return null;
}

/** Writes to the shown page, shows the result and offers to undo it; reports a failure. */
export async function rewrite(write: () => Promise<ChangeSet>, message: string): Promise<void> {
  try {
    const change = await write();
    showWritten([change]);
    toastWithAction(message, changesStrings.undo, () => undoOne(change));
  } catch (error) {
    reportFailure(error);
  }
}

/** The part of a change that undo and redo need. */
export type Reversible = Pick<ChangeSet, 'id' | 'action' | 'summary' | 'undoneBy'>;

/**
 * The button that undoes a change, or redoes an undone one: its words, and the props of its element.
 * @param onConflict called with the reason if it could not be done
 * @returns null where the change cannot be taken back by itself
 */
export function useWayBack(change: Reversible | undefined, onConflict: (conflict: Conflict) => void) {
  const [isBusy, setIsBusy] = useState(false);
  if (!change) return null;
  const isUndone = change.undoneBy !== null;
  if (!isUndone && !canUndo(change)) return null;
  const run = async () => {
    if (isBusy) return;
    setIsBusy(true);
    const conflict = await undoOrRedo(change.id);
    setIsBusy(false);
    if (conflict) onConflict(conflict);
  };
  return {
    isUndone,
    text: isUndone ? say.redo : say.undo,
    'aria-label': isUndone ? say.redoLabel(inYourWords(change.summary)) : say.undoLabel(inYourWords(change.summary)),
    'aria-disabled': isBusy,
    onClick: () => void run(),
  };
}
