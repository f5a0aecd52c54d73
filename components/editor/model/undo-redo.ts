import { Mutex } from 'async-mutex';
import { toast } from 'sonner';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { canUndo, undoneSummary } from '#components/changes/change-facts.ts';
import { redoOne, undoOrRedo } from '#components/changes/undo-actions.ts';
import { flushEditors } from '#components/editor/model/page-editor.ts';
import type { ChangeSet, Conflict } from '#server/core/site/changes';
import { translator } from '#components/i18n.ts';

const t = translator('saving.undo');
/** Newest changes of the site among which the next step is searched. */
const MAX_SEARCHED_CHANGES = 100;
/** Age from which manual edits are excluded, because users do not expect a key to undo another day's work; ms. */
const TOO_OLD = 12 * 60 * 60 * 1000;

/** Undo and redo of the newest change of the site, whether the user or the assistant made it. */
export interface UndoRedo {
  readonly undo: () => void;
  readonly redo: () => void;
}

/** True for a change that the undo and redo keys may affect. */
type IsOwn = (change: ChangeSet) => boolean;

/** The change that the next undo affects; null: none. */
export function nextUndo(newestFirst: readonly ChangeSet[], isOwn: IsOwn): ChangeSet | null {
  return newestFirst.find((change) => isOwn(change) && canUndo(change)) ?? null;
}

/**
 * The undo that the next redo reverses; null: none, also after a new change, which clears the redo list. Of several
 * undos the newest: repeated redos restore the changes in their original order.
 */
export function nextRedo(newestFirst: readonly ChangeSet[], isOwn: IsOwn): ChangeSet | null {
  const undone = new Map(newestFirst.map((change) => [change.undoneBy, change]));
  for (const change of newestFirst) {
    if (!isOwn(change) || change.undoneBy !== null) continue;
    // The undo of an undo restored the change itself, which is in effect again.
    if (change.action === 'undo' && undone.get(change.id)?.action === 'undo') continue;
    return change.action === 'undo' ? change : null;
  }
  return null;
}

/** Serializes steps, however fast the keys are pressed. */
const steps = new Mutex();

async function readOwn(sessionId: string | null): Promise<{ changes: readonly ChangeSet[]; isOwn: IsOwn }> {
  const [{ items }, { id }] = await Promise.all([api.get(paths.changes({}, MAX_SEARCHED_CHANGES)), api.get(paths.me)]);
  const since = Date.now() - TOO_OLD;
  const isOwn: IsOwn = ({ origin, createdAt }) =>
    origin.actor === 'assistant'
      ? sessionId !== null && origin.sessionId === sessionId
      : origin.actor === 'user' && (origin.userId ?? id) === id && createdAt > since;
  return { changes: items, isOwn };
}

/**
 * Undoes the newest step, a manual edit or one of the assistant in this conversation. Returns the conflict that
 * prevents it.
 */
export async function undoLast(sessionId: string | null): Promise<Conflict | null> {
  return steps.runExclusive(async () => {
    await flushEditors();
    const { changes, isOwn } = await readOwn(sessionId);
    const change = nextUndo(changes, isOwn);
    if (change !== null) return undoOrRedo(change.id);
    toast(t('nothing'));
    return null;
  });
}

/** Redoes the step that was undone last. */
export async function redoLast(sessionId: string | null): Promise<null> {
  return steps.runExclusive(async () => {
    await flushEditors();
    const { changes, isOwn } = await readOwn(sessionId);
    const undo = nextRedo(changes, isOwn);
    if (undo === null) toast(t('nothingToRedo'));
    else await redoOne(undo.id, undoneSummary(undo), sessionId ?? undefined);
    return null;
  });
}
