import { toast } from 'sonner';
import { api, type UndoAllRequest } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { ApiError } from '#components/api/api-error';
import { changesStrings } from '#components/changes/words';
import { contentChanged } from '#components/desk/content-cache';
import { askDesk } from '#components/desk/desk-requests';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { ChangeSet, Conflict, UndoOutcome } from '#server/core/content';

const say = changesStrings;
/** Of steps back and forth one after the other, the newest alone is told. */
const STEP = { id: 'undo-step' };

/** Shows what was written just now wherever it can be seen. */
export function showWritten(changes: readonly ChangeSet[]): void {
  contentChanged(changes);
  askDesk('preview-changes', changes);
}

/**
 * Undoes one change.
 * @throws ApiError, 409 where something later would be lost
 */
export async function undoOne(change: ChangeSet, sessionId?: string): Promise<void> {
  const undone = await api.undoChange(change.id, sessionId);
  const [undo] = undone;
  showWritten(undone);
  toastWithAction(say.undoneToast(change.summary), say.redo, () => redoOne(undo.id, change.summary, sessionId), STEP);
}

/**
 * Redoes a change by undoing its undo.
 * @throws ApiError as undoOne
 */
export async function redoOne(undoId: string, summary: string, sessionId?: string): Promise<void> {
  showWritten(await api.undoChange(undoId, sessionId));
  toast(say.redoneToast(summary), STEP);
}

/**
 * Undoes a change, or redoes an undone one, and tells the user the result. Returns the conflict, for the caller to
 * show, where something later would be lost.
 */
export async function undoOrRedo(change: ChangeSet): Promise<Conflict | null> {
  const { sessionId } = change.origin;
  try {
    const blockedBy = await blockersOf(change);
    if (blockedBy.length > 0) return { change, blockedBy, message: '' };
    if (change.undoneBy === null) await undoOne(change, sessionId);
    else await redoOne(change.undoneBy, change.summary, sessionId);
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) return { change, blockedBy: [], message: error.message };
    reportFailure(error);
  }
  return null;
}

/**
 * Undoes changes together with all later ones in the same places: all or nothing.
 * @throws ApiError
 */
export async function undoAlong(changes: readonly ChangeSet[]): Promise<void> {
  const [sessionId] = changes.flatMap(({ origin }) => origin.sessionId ?? []);
  const { undone } = await api.undoThese({ changeIds: changes.map(({ id }) => id), along: true, sessionId });
  showWritten(undone);
  toastWithAction(say.undoneMany(undone.length), say.redo, () => redoMany(undone, sessionId));
}

/** Later changes in the same place; requested anew because the clicked list may be outdated. */
async function blockersOf(change: ChangeSet): Promise<readonly ChangeSet[]> {
  const path = paths.change(change.undoneBy ?? change.id);
  const { blockedBy } = await api.get<{ readonly blockedBy: readonly ChangeSet[] | null }>(path);
  return blockedBy ?? [];
}

/**
 * Undoes what is possible of a session or some of its turns.
 * @param undo sends the request
 * @throws ApiError
 */
export async function undoMany(
  request: UndoAllRequest,
  undo: () => Promise<UndoOutcome> = () => api.undoAll({ ...request, partial: true }),
): Promise<void> {
  const { undone } = await undo();
  showWritten(undone);
  toastWithAction(say.undoneMany(undone.length), say.redo, () => redoMany(undone, request.sessionId));
}

/** Takes undos back, each to the content as it was before it. @throws ApiError, 409 where something later would be lost */
async function redoMany(undos: readonly ChangeSet[], sessionId: string | undefined): Promise<void> {
  const { undone } = await api.undoThese({ changeIds: undos.map(({ id }) => id), sessionId });
  showWritten(undone);
  toast(say.redoneMany(undone.length));
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
