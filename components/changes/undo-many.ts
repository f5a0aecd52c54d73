import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { api, type UndoAllRequest } from '#components/api/api-client.ts';
import { toastWithAction } from '#components/ui/dialogs/toasts';
import type { ChangeSet, UndoOutcome } from '#server/core/site/changes';

const t = translator('changes');

/**
 * Undoes changes together with all later ones in the same places: all or nothing.
 * @throws ApiError
 */
export async function undoAlong(changes: readonly ChangeSet[]): Promise<void> {
  const [sessionId] = changes.flatMap(({ origin }) => origin.sessionId ?? []);
  const { undone } = await api.undoThese({ changeIds: changes.map(({ id }) => id), along: true, sessionId });
  showWritten(undone);
  toastWithAction(t('undoneMany', { count: undone.length }), t('redo'), () => redoMany(undone, sessionId));
}

/**
 * Undoes what is possible of a session or of some of its turns.
 * @param undo sends the request
 * @throws ApiError
 */
export async function undoMany(
  request: UndoAllRequest,
  undo: () => Promise<UndoOutcome> = () => api.undoAll({ ...request, partial: true }),
): Promise<void> {
  const { undone } = await undo();
  showWritten(undone);
  toastWithAction(t('undoneMany', { count: undone.length }), t('redo'), () => redoMany(undone, request.sessionId));
}

/**
 * Redoes undone changes; each content returns to its state before the undo. @throws ApiError, 409 if a later change
 * would be lost
 */
async function redoMany(undos: readonly ChangeSet[], sessionId: string | undefined): Promise<void> {
  const { undone } = await api.undoThese({ changeIds: undos.map(({ id }) => id), sessionId });
  showWritten(undone);
  toast(t('redoneMany', { count: undone.length }));
}
