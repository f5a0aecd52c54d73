import type { UndoneOfSession, UndoSelection } from '#server/content/content-backend';
import { blockersOf, type ChangeChain, chainsOf, standsAt, tailOf } from '#server/content/embedded/change-chains';
import type { ContentTransaction, JournalLine, WriteContext } from '#server/content/embedded/content-store';
import { lossMessage, newestOf, takeBack, undoThese } from '#server/content/embedded/undo-change';
import type { ChangeSet, Conflict, UndoOutcome } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';

/** Selects the changes to undo. */
type Selects = (change: ChangeSet) => boolean;

function selectionOf({ sessionId, turnIds }: UndoneOfSession): Selects {
  const turns = turnIds === undefined ? null : new Set(turnIds);
  return ({ origin }) => origin.sessionId === sessionId && (turns === null || turns.has(origin.turnId ?? ''));
}

/** Selects the changes of the selection in a chain, and undos of them that the session's user made by hand since. */
function isOurs(chain: ChangeChain, selects: Selects, sessionId: string): Selects {
  const isRootOurs = selects(chain[0].change);
  return (change) => {
    const isByHand = change.origin.sessionId === sessionId && change.origin.turnId === undefined;
    return selects(change) || (isRootOurs && change.action === 'undo' && isByHand);
  };
}

/** `done`: nothing of the selection is in effect. `foreign`: it is in effect because somebody else brought it back. */
function fateOf(chain: ChangeChain, ours: Selects): 'done' | 'foreign' | 'undo' {
  const lastForeign = chain.findLastIndex(({ change }) => !ours(change));
  const isRootOurs = ours(chain[0].change);
  const stood = !isRootOurs && lastForeign % 2 === 0;
  if (standsAt(chain, 0) === stood) return 'done';
  if (lastForeign < chain.length - 1) return 'undo';
  return isRootOurs ? 'foreign' : 'done';
}

function conflictOf(chain: ChangeChain, blockedBy: readonly ChangeSet[], message = lossMessage(blockedBy)): Conflict {
  return { change: tailOf(chain).change, blockedBy, message };
}

/** Why this one cannot be taken back, if it is something to tell. */
function refusal(error: unknown): string {
  const isForeseen =
    error instanceof ConflictError || error instanceof InvalidInputError || error instanceof NotFoundError;
  if (!isForeseen) throw error;
  return error.message;
}

/**
 * See ContentBackend.undoAll: what can be taken back is, newest first, so that each finds the content as it left it.
 * Changes that something else was built upon stay, and so do those that they were built upon.
 */
export async function undoAll(
  tx: ContentTransaction,
  selection: UndoSelection,
  context: WriteContext,
): Promise<UndoOutcome> {
  if ('changeIds' in selection) return { undone: await undoThese(tx, selection, context), conflicts: [] };
  const selects = selectionOf(selection);
  const journals = new Map<string, readonly JournalLine[]>();
  const conflicts: Conflict[] = [];
  const open: ChangeChain[] = [];
  for (const targetId of await tx.targetsOfSession(selection.sessionId, selection.turnIds)) {
    const journal = await tx.journalOf(targetId);
    journals.set(targetId, journal);
    for (const chain of chainsOf(journal)) {
      if (!chain.some(({ change }) => selects(change))) continue;
      const fate = fateOf(chain, isOurs(chain, selects, selection.sessionId));
      if (fate === 'undo') open.push(chain);
      if (fate === 'foreign') conflicts.push(conflictOf([chain[0]], [tailOf(chain).change]));
    }
  }

  const undone: ChangeSet[] = [];
  for (const chain of open.toSorted((a, b) => tailOf(b).seq - tailOf(a).seq)) {
    const { targetId } = chain[0].change;
    const journal = journals.get(targetId) ?? [];
    const chains = chainsOf(journal);
    const blockers = blockersOf(chain, chains);
    if (blockers.length > 0) {
      conflicts.push(conflictOf(chain, blockers));
      continue;
    }
    try {
      const after = await takeBack(tx, chain, journal, context);
      journals.set(targetId, after);
      undone.push(newestOf(after));
    } catch (error) {
      conflicts.push(conflictOf(chain, [], refusal(error)));
    }
  }
  return { undone, conflicts };
}

/** @throws ConflictError naming the changes that prevent it, if there are any */
export function requireNoConflicts({ conflicts }: UndoOutcome): void {
  const [first] = conflicts;
  if (first === undefined) return;
  const blockers = [...new Map(conflicts.flatMap(({ blockedBy }) => blockedBy).map((change) => [change.id, change]))];
  const message = blockers.length === 0 ? first.message : lossMessage(blockers.map(([, change]) => change));
  throw new ConflictError(message, { details: { changes: blockers.map(([id]) => id) } });
}
