import { translator } from '#components/i18n.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { ApiError } from '#components/api/api-error.ts';
import { canUndo } from '#components/changes/change-facts.ts';
import { type Summarized, summaryText } from '#components/message-text.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import type { ChangeSet, Conflict } from '#server/core/site/changes';

const t = translator('changes');

/** Options of all undo and redo toasts: they share one toast, which shows only the newest. */
const UNDO_TOAST = { id: 'undo-step' };

/**
 * Undoes one change.
 * @throws ApiError, 409 if a later change would be lost
 */
export async function undoOne(change: Summarized & { readonly id: string }, sessionId?: string): Promise<void> {
  const undone = await api.undoChange(change.id, sessionId);
  showWritten(undone);
  const redo = () => redoOne(undone[0].id, change, sessionId);
  toastWithAction(t('undoneToast', { summary: summaryText(change) }), t('redo'), redo, UNDO_TOAST);
}

/**
 * Redoes a change by undoing its undo.
 * @throws ApiError as undoOne
 */
export async function redoOne(undoId: string, change: Summarized, sessionId?: string): Promise<void> {
  const redone = await api.undoChange(undoId, sessionId);
  showWritten(redone);
  const undo = () => undoOne({ ...change, id: redone[0].id }, sessionId);
  toastWithAction(t('redoneToast', { summary: summaryText(change) }), t('undo'), undo, UNDO_TOAST);
}

/**
 * Undoes a change, or redoes an undone one, and shows the user the result. Reads the change again first, because the
 * known state may be outdated. Returns the conflict for the caller to show if a later change would be lost.
 */
export async function undoOrRedo(changeId: string): Promise<Conflict | null> {
  let change: ChangeSet | undefined;
  try {
    const read = (id: string) => api.get(paths.change(id));
    const own = await read(changeId);
    ({ change } = own);
    const blockedBy = (change.undoneBy === null ? own : await read(change.undoneBy)).blockedBy ?? [];
    if (blockedBy.length > 0) return { change, blockedBy: [...blockedBy], message: '', reason: null };
    const { sessionId } = change.origin;
    if (change.undoneBy === null) await undoOne(change, sessionId);
    else await redoOne(change.undoneBy, change, sessionId);
  } catch (error) {
    if (change && error instanceof ApiError && error.status === 409)
      return { change, blockedBy: [], message: error.message, reason: null };
    reportFailure(error);
  }
  return null;
}

/**
 * Runs a write to the displayed page, shows its result and offers to undo it. Reports a failure to the user and does
 * not throw.
 */
export async function rewrite(write: () => Promise<ChangeSet>, message: string): Promise<void> {
  try {
    const change = await write();
    showWritten([change]);
    toastWithAction(message, t('undo'), () => undoOne(change));
  } catch (error) {
    reportFailure(error);
  }
}

/** The part of a change that undo and redo need. */
export interface Reversible extends Summarized {
  readonly id: string;
  readonly action: ChangeSet['action'];
  /** Id of the change that undid it; null: it was not undone. */
  readonly undoneBy: string | null;
}

/**
 * The button that undoes a change, or redoes an undone one: its label, and the props of its element.
 * @param onConflict called with the reason on failure
 * @returns null if the change cannot be undone by itself
 */
export function useUndoAction(change: Reversible | undefined, onConflict: (conflict: Conflict) => void) {
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
    text: isUndone ? t('redo') : t('undo'),
    'aria-label': isUndone
      ? t('redoLabel', { summary: summaryText(change) })
      : t('undoLabel', { summary: summaryText(change) }),
    'aria-disabled': isBusy,
    onClick: () => void run(),
  };
}
