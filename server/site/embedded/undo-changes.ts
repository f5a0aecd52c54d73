import {
  blockersOf,
  chainsOf,
  type ChangeChain,
  isInEffectAt,
  undoneSubject,
  tailOf,
} from '#server/site/embedded/change-chains';
import type { ContentTransaction, JournalLine, WriteContext } from '#server/site/embedded/content-store';
import { newestOf, reverseChange } from '#server/site/embedded/reverse-change';
import { changeOfRestoreStep } from '#server/core/ids';
import type { Undone, SessionUndoSelection, ChangeUndoSelection, UndoSelection } from '#server/site/content-backend';
import type { ChangeSet, Conflict, UndoOutcome } from '#server/core/site/changes';
import { ConflictError, InvalidInputError, NotFoundError, refusalOf } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import type { ServerText } from '#server/core/coded-message';
import { changeText } from '#server/site/change-summary';
import { messageOfText, textFromRow } from '#server/core/message-data';

/* Decides which changes an undo reverses (one with the other changes of its edit, several, or all of a session), and
   refuses an undo that would lose later changes. */

/** Largest number of later changes that a message names. */
const MAX_NAMED = 3;

/** Message about later changes that an undo would lose. */
export function lossMessage(blockers: readonly ChangeSet[]): ServerText {
  return serverText('later-changes-lost', {
    changes: blockers
      .slice(0, MAX_NAMED)
      .map((change) => serverText('change-with-id', { change: changeText(change), id: change.id })),
    count: Math.max(0, blockers.length - MAX_NAMED),
    isTheirs: blockers.some(({ origin }) => origin.actor === 'external'),
  });
}

/** The change to undo: the given one, or the session's newest that is in effect. */
async function chooseChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  sessionId: string | undefined,
): Promise<ChangeSet> {
  if (changeId === undefined && sessionId === undefined) throw new InvalidInputError(serverText('undo-what'));
  const id = changeId ?? (await tx.newestStandingChange(sessionId ?? ''))?.id;
  if (id === undefined) throw new ConflictError(serverText('nothing-to-take-back'));
  const record = await tx.journalEntry(id);
  if (record === null) throw new NotFoundError('change', id.slice(0, 80));
  const { change } = record;
  if (change.undoneBy === null) return change;
  throw new ConflictError(serverText('already-undone', { change: changeText(change), by: change.undoneBy }));
}

/** A chain and the whole journal of its target. */
interface FoundChain {
  readonly chain: ChangeChain;
  readonly journal: readonly JournalLine[];
  readonly chains: readonly ChangeChain[];
}

async function chainOf(tx: ContentTransaction, { id, targetId }: ChangeSet): Promise<FoundChain> {
  const journal = await tx.journalOf(targetId);
  const chains = chainsOf(journal);
  const chain = chains.find((each) => each.some(({ change }) => change.id === id));
  if (chain === undefined) throw new NotFoundError('change', id);
  return { chain, journal, chains };
}

/** Largest number of changes of one edit that are undone together. */
const MAX_CHANGES_OF_EDIT = 1_000;

/**
 * The chains of the other changes of the same edit (same tool call, same time) that are in effect if this one is, or undone
 * if this one is. Of an edit with more than MAX_CHANGES_OF_EDIT changes, the rest is left out without a message.
 */
async function chainsOfSameEdit(tx: ContentTransaction, chain: ChangeChain): Promise<FoundChain[]> {
  const [{ change }] = chain;
  const { sessionId, turnId, toolCallId } = change.origin;
  const isRestored = changeOfRestoreStep(toolCallId) !== null;
  if (toolCallId === undefined || (change.action !== 'update' && !isRestored)) return [];
  const ofCall = await tx.changes({ sessionId, turnId, toolCallId, limit: MAX_CHANGES_OF_EDIT });
  const others = ofCall.filter(
    ({ id, action, createdAt }) =>
      id !== change.id && createdAt === change.createdAt && (action === 'update' || (isRestored && action !== 'undo')),
  );
  const found = await Promise.all(others.map((other) => chainOf(tx, other)));
  return found.filter((other) => isInEffectAt(other.chain, 0) === isInEffectAt(chain, 0));
}

/** See ContentBackend.undo. Undoing an undo puts the first change into effect again. */
export async function undoChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  context: WriteContext,
): Promise<Undone> {
  const change = await chooseChange(tx, changeId, context.origin.sessionId);
  const named = await chainOf(tx, change);
  if (change.action === 'undo' && !undoneSubject(named.chain).isUndo) {
    throw new ConflictError(serverText('undo-the-redo', { change: changeText(change) }));
  }
  const undone = await undoSelected(tx, { changeIds: [change.id], along: false }, context);
  const first = undone.find(({ targetId }) => targetId === change.targetId);
  const together = undone.filter((each) => each !== first);
  return { ...first!, ...(together.length > 0 && { together }) };
}

/**
 * True if the newest change of a chain was undone since the chain was read: undoing another change may also undo the change
 * of the home page setting (`home-page`).
 */
async function isAlreadyReversed(tx: ContentTransaction, chain: ChangeChain): Promise<boolean> {
  const record = await tx.journalEntry(tailOf(chain).change.id);
  return record !== null && record.change.undoneBy !== tailOf(chain).change.undoneBy;
}

/**
 * Undoes changes that are in effect, with the other changes of their edits. Newest first, so that each undo finds the
 * content in the state that its change left.
 * @param along true: also undo all later changes in the same places
 * @throws ConflictError if later changes would be lost and `along` is false; NotFoundError
 */
async function undoSelected(
  tx: ContentTransaction,
  { changeIds, along }: ChangeUndoSelection,
  context: WriteContext,
): Promise<readonly ChangeSet[]> {
  const all = new Map<string, FoundChain>();
  const waiting = [...changeIds];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const record = await tx.journalEntry(id);
    if (record === null) throw new NotFoundError('change', id.slice(0, 80));
    if (record.change.undoneBy !== null) continue;
    const found = await chainOf(tx, record.change);
    for (const each of [found, ...(await chainsOfSameEdit(tx, found.chain))]) {
      const key = tailOf(each.chain).change.id;
      if (all.has(key)) continue;
      all.set(key, each);
      if (along) waiting.push(...blockersOf(each.chain, each.chains).map((later) => later.id));
    }
  }
  const chosen = [...all.values()].toSorted((a, b) => tailOf(b.chain).seq - tailOf(a.chain).seq);
  const ids = new Set(chosen.flatMap(({ chain }) => chain.map(({ change }) => change.id)));
  const blockers = chosen.flatMap(({ chain, chains }) => blockersOf(chain, chains)).filter(({ id }) => !ids.has(id));
  const lost = [...new Map(blockers.map((change) => [change.id, change])).values()];
  if (lost.length > 0) throw new ConflictError(lossMessage(lost), { details: { changes: lost.map(({ id }) => id) } });
  const journals = new Map<string, readonly JournalLine[]>();
  const undone: ChangeSet[] = [];
  for (const { chain, journal } of chosen) {
    const { targetId } = chain[0].change;
    if (await isAlreadyReversed(tx, chain)) {
      journals.set(targetId, await tx.journalOf(targetId));
      continue;
    }
    const after = await reverseChange(tx, chain, journals.get(targetId) ?? journal, context);
    journals.set(targetId, after);
    undone.push(newestOf(after));
  }
  return undone;
}

/** Predicate for the changes to undo. */
type Selects = (change: ChangeSet) => boolean;

function selectionOf({ sessionId, turnIds }: SessionUndoSelection): Selects {
  const turns = turnIds === undefined ? null : new Set(turnIds);
  return ({ origin }) => origin.sessionId === sessionId && (turns === null || turns.has(origin.turnId ?? ''));
}

/**
 * Predicate for the changes of one chain that belong to the selection: those that it selects, and undos of them that the
 * user of the session made without the assistant.
 */
function inSelection(chain: ChangeChain, selects: Selects, sessionId: string): Selects {
  const isRootOurs = selects(chain[0].change);
  return (change) => {
    const isByHand = change.origin.sessionId === sessionId && change.origin.turnId === undefined;
    return selects(change) || (isRootOurs && change.action === 'undo' && isByHand);
  };
}

/**
 * Decides about a chain. `done`: no change of the selection is in effect. `foreign`: one is in effect because another
 * author restored it. `undo`: the newest change is to be undone.
 * @param ours selects the changes of the selection
 */
function decideUndo(chain: ChangeChain, ours: Selects): 'done' | 'foreign' | 'undo' {
  const lastForeign = chain.findLastIndex(({ change }) => !ours(change));
  const isRootOurs = ours(chain[0].change);
  // Each change of a chain reverses the one before it, so the root is in effect after an even index, undone after an odd
  // one. `leftInEffect`: whether another author left the root, which is not ours, in effect.
  const leftInEffect = !isRootOurs && lastForeign % 2 === 0;
  if (isInEffectAt(chain, 0) === leftInEffect) return 'done';
  if (lastForeign < chain.length - 1) return 'undo';
  return isRootOurs ? 'foreign' : 'done';
}

function conflictOf(chain: ChangeChain, blockedBy: readonly ChangeSet[], text = lossMessage(blockedBy)): Conflict {
  return { change: tailOf(chain).change, blockedBy, message: text.text, reason: messageOfText(text) };
}

/**
 * See ContentBackend.undoAll: undoes what can be undone, newest first, so that each change finds the content in the
 * state that it left. Changes on which others depend are kept, and so are the changes on which those depend.
 */
export async function undoAll(
  tx: ContentTransaction,
  selection: UndoSelection,
  context: WriteContext,
): Promise<UndoOutcome> {
  if ('changeIds' in selection) return { undone: await undoSelected(tx, selection, context), conflicts: [] };
  const selects = selectionOf(selection);
  const journals = new Map<string, readonly JournalLine[]>();
  const conflicts: Conflict[] = [];
  const open: ChangeChain[] = [];
  for (const targetId of await tx.targetsOfSession(selection.sessionId, selection.turnIds)) {
    const journal = await tx.journalOf(targetId);
    journals.set(targetId, journal);
    for (const chain of chainsOf(journal)) {
      if (!chain.some(({ change }) => selects(change))) continue;
      const decision = decideUndo(chain, inSelection(chain, selects, selection.sessionId));
      if (decision === 'undo') open.push(chain);
      if (decision === 'foreign') conflicts.push(conflictOf([chain[0]], [tailOf(chain).change]));
    }
  }

  const undone: ChangeSet[] = [];
  for (const chain of open.toSorted((a, b) => tailOf(b).seq - tailOf(a).seq)) {
    const { targetId } = chain[0].change;
    if (await isAlreadyReversed(tx, chain)) {
      journals.set(targetId, await tx.journalOf(targetId));
      continue;
    }
    const journal = journals.get(targetId) ?? [];
    const chains = chainsOf(journal);
    const blockers = blockersOf(chain, chains);
    if (blockers.length > 0) {
      conflicts.push(conflictOf(chain, blockers));
      continue;
    }
    try {
      const after = await reverseChange(tx, chain, journal, context);
      journals.set(targetId, after);
      undone.push(newestOf(after));
    } catch (error) {
      conflicts.push(conflictOf(chain, [], refusalOf(error)));
    }
  }
  return { undone, conflicts };
}

/** @throws ConflictError that names the changes that prevent the undo, if any */
export function requireNoConflicts({ conflicts }: UndoOutcome): void {
  const [first] = conflicts;
  if (first === undefined) return;
  const blockers = [...new Map(conflicts.flatMap(({ blockedBy }) => blockedBy).map((change) => [change.id, change]))];
  const message =
    blockers.length === 0
      ? textFromRow(first.message, first.reason)
      : lossMessage(blockers.map(([, change]) => change));
  throw new ConflictError(message, { details: { changes: blockers.map(([id]) => id) } });
}
