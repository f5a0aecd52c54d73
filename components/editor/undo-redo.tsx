import { Mutex } from 'async-mutex';
import { useState } from 'react';
import { toast } from 'sonner';
import { accessPaths } from '#components/access/access-client';
import { api, type Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { canUndo, undoneSummary } from '#components/changes/change-facts';
import { ConflictDialog, redoOne, undoOrRedo } from '#components/changes/undo-actions';
import { useDeskRequest } from '#components/desk/desk-requests';
import { flushEditors } from '#components/editor/page-editor';
import { reportFailure } from '#components/ui/toasts';
import type { ChangeSet, Conflict } from '#server/core/changes';
import type { Me } from '#server/core/people';
import { savingStrings } from '#components/editor/words';

const say = savingStrings.undo;
/** Newest changes of the site in which the next step is looked for. */
const MOST = 100;
/** Edits by hand that are older are another day's work, which nobody expects behind a key; ms. */
const TOO_OLD = 12 * 60 * 60 * 1000;

/** Tells whether a change is one of those that the keys go through. */
type IsOwn = (change: ChangeSet) => boolean;

/** The change that the next undo takes back; null: there is none. */
export function nextUndo(newestFirst: readonly ChangeSet[], isOwn: IsOwn): ChangeSet | null {
  return newestFirst.find((change) => isOwn(change) && canUndo(change)) ?? null;
}

/**
 * The undo that the next redo takes back; null: there is none, also after a new change, which ends what could be redone.
 * Of several undos the newest: redone one after the other, changes come back in the order in which they were made.
 */
export function nextRedo(newestFirst: readonly ChangeSet[], isOwn: IsOwn): ChangeSet | null {
  const undone = new Map(newestFirst.map((change) => [change.undoneBy, change]));
  for (const change of newestFirst) {
    if (!isOwn(change) || change.undoneBy !== null) continue;
    // What took back an undo brought the change itself back, which is in effect again.
    if (change.action === 'undo' && undone.get(change.id)?.action === 'undo') continue;
    return change.action === 'undo' ? change : null;
  }
  return null;
}

/** One step after the other, however fast the keys are pressed. */
const steps = new Mutex();

async function readOwn(sessionId: string | null): Promise<{ changes: readonly ChangeSet[]; isOwn: IsOwn }> {
  const [{ items }, { id }] = await Promise.all([
    api.get<Page<ChangeSet>>(paths.changes({}, MOST)),
    api.get<Me>(accessPaths.me),
  ]);
  const since = Date.now() - TOO_OLD;
  const isOwn: IsOwn = ({ origin, createdAt }) =>
    origin.actor === 'assistant'
      ? sessionId !== null && origin.sessionId === sessionId
      : origin.actor === 'user' && (origin.userId ?? id) === id && createdAt > since;
  return { changes: items, isOwn };
}

/** Takes the newest step back, by hand or by the assistant in this conversation. Returns what is in the way. */
async function undoLast(sessionId: string | null): Promise<Conflict | null> {
  return steps.runExclusive(async () => {
    await flushEditors();
    const { changes, isOwn } = await readOwn(sessionId);
    const change = nextUndo(changes, isOwn);
    if (change !== null) return undoOrRedo(change.id);
    toast(say.nothing);
    return null;
  });
}

/** Brings the step back that was taken back last. */
async function redoLast(sessionId: string | null): Promise<void> {
  return steps.runExclusive(async () => {
    await flushEditors();
    const { changes, isOwn } = await readOwn(sessionId);
    const undo = nextRedo(changes, isOwn);
    if (undo === null) toast(say.nothingToRedo);
    else await redoOne(undo.id, undoneSummary(undo), sessionId ?? undefined);
  });
}

/** Answers the requests for undo and redo; says what is in the way of one. */
export function UndoRedo({ sessionId }: { readonly sessionId: string | null }) {
  const [conflict, setConflict] = useState<Conflict | null>(null);
  useDeskRequest('undo', () => {
    void undoLast(sessionId).then(setConflict, reportFailure);
    return true;
  });
  useDeskRequest('redo', () => {
    void redoLast(sessionId).catch(reportFailure);
    return true;
  });
  return conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />;
}
