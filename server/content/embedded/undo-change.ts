import {
  blockersOf,
  chainsOf,
  type ChangeChain,
  standsAt,
  subjectOf,
  tailOf,
} from '#server/content/embedded/change-chains';
import type { ContentTransaction, JournalLine, WriteContext } from '#server/content/embedded/content-store';
import { newestOf, takeBack } from '#server/content/embedded/take-back';
import { broughtBackTo } from '#server/core/ids';
import type { Undone, UndoneOfSession, UndoneTogether, UndoSelection } from '#server/content/content-backend';
import type { ChangeSet, Conflict, UndoOutcome } from '#server/core/changes';
import { ConflictError, InvalidInputError, NotFoundError, refusalOf } from '#server/core/errors';

/* Chooses which changes an undo takes back: one with what was made together with it, several, or all of a conversation. */

/** Sentence about later changes that an undo would lose. */
export function lossMessage(blockers: readonly ChangeSet[]): string {
  const named = blockers.slice(0, 3).map(({ summary, id }) => `${summary} (${id})`);
  const rest = blockers.length > 3 ? `, and ${blockers.length - 3} more` : '';
  const isTheirs = blockers.some(({ origin }) => origin.actor === 'external');
  const first = isTheirs ? 'Undo them first (that takes back what was made in WordPress, too)' : 'Undo them first';
  return `Later changes would be lost: ${named.join('; ')}${rest}. ${first}, or edit back by hand only what this change altered.`;
}

/** The change to undo: the named one, or the session's newest that is in effect. */
async function chooseChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  sessionId: string | undefined,
): Promise<ChangeSet> {
  if (changeId === undefined && sessionId === undefined) throw new InvalidInputError('Say which change to undo.');
  const id = changeId ?? (await tx.newestStandingChange(sessionId ?? ''))?.id;
  if (id === undefined) throw new ConflictError('There is nothing to undo.');
  const record = await tx.journalEntry(id);
  if (record === null) throw new NotFoundError('change', id.slice(0, 80));
  const { change } = record;
  if (change.undoneBy === null) return change;
  throw new ConflictError(`"${change.summary}" was already undone by ${change.undoneBy}.`);
}

/** A chain, with all of its target's journal. */
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

/** Most entries of one edit. */
const MAX_TOGETHER = 1_000;

/** The chains of the other changes that were made in one edit with this one, and stand as it does. */
async function madeTogether(tx: ContentTransaction, chain: ChangeChain): Promise<FoundChain[]> {
  const [{ change }] = chain;
  const { sessionId, turnId, toolCallId } = change.origin;
  const isBroughtBack = broughtBackTo(toolCallId) !== null;
  if (toolCallId === undefined || (change.action !== 'update' && !isBroughtBack)) return [];
  const ofCall = await tx.changes({ sessionId, turnId, toolCallId, limit: MAX_TOGETHER });
  const others = ofCall.filter(
    ({ id, action, createdAt }) =>
      id !== change.id &&
      createdAt === change.createdAt &&
      (action === 'update' || (isBroughtBack && action !== 'undo')),
  );
  const found = await Promise.all(others.map((other) => chainOf(tx, other)));
  return found.filter((other) => standsAt(other.chain, 0) === standsAt(chain, 0));
}

/** See ContentBackend.undo. Undoing an undo brings the first change back into effect. */
export async function undoChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  context: WriteContext,
): Promise<Undone> {
  const change = await chooseChange(tx, changeId, context.origin.sessionId);
  const named = await chainOf(tx, change);
  if (change.action === 'undo' && subjectOf(named.chain).verb === 'Undid') {
    throw new ConflictError(`"${change.summary}" brought a change back; undo that change itself.`);
  }
  const undone = await undoThese(tx, { changeIds: [change.id], along: false }, context);
  const first = undone.find(({ targetId }) => targetId === change.targetId);
  const together = undone.filter((each) => each !== first);
  return { ...first!, ...(together.length > 0 && { together }) };
}

/** Tells whether a chain was taken back along with another one since it was read: the choice of a home page is. */
async function isTakenBack(tx: ContentTransaction, chain: ChangeChain): Promise<boolean> {
  const record = await tx.journalEntry(tailOf(chain).change.id);
  return record !== null && record.change.undoneBy !== tailOf(chain).change.undoneBy;
}

/**
 * Takes back changes that are in effect, with what was made in one edit with them, the newest first, so that each finds
 * the content as it left it. `along`: with all later ones in the same places, which else are a ConflictError.
 */
async function undoThese(
  tx: ContentTransaction,
  { changeIds, along }: UndoneTogether,
  context: WriteContext,
): Promise<readonly ChangeSet[]> {
  const all = new Map<string, FoundChain>();
  const waiting = [...changeIds];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const record = await tx.journalEntry(id);
    if (record === null) throw new NotFoundError('change', id.slice(0, 80));
    if (record.change.undoneBy !== null) continue;
    const found = await chainOf(tx, record.change);
    for (const each of [found, ...(await madeTogether(tx, found.chain))]) {
      const key = tailOf(each.chain).change.id;
      if (all.has(key)) continue;
      all.set(key, each);
      if (along) waiting.push(...blockersOf(each.chain, each.chains).map((blocker) => blocker.id));
    }
  }
  const chosen = [...all.values()].toSorted((a, b) => tailOf(b.chain).seq - tailOf(a.chain).seq);
  const ids = new Set(chosen.flatMap(({ chain }) => chain.map(({ change }) => change.id)));
  const inTheWay = chosen.flatMap(({ chain, chains }) => blockersOf(chain, chains)).filter(({ id }) => !ids.has(id));
  const lost = [...new Map(inTheWay.map((change) => [change.id, change])).values()];
  if (lost.length > 0) throw new ConflictError(lossMessage(lost), { details: { changes: lost.map(({ id }) => id) } });
  const journals = new Map<string, readonly JournalLine[]>();
  const undone: ChangeSet[] = [];
  for (const { chain, journal } of chosen) {
    const { targetId } = chain[0].change;
    if (await isTakenBack(tx, chain)) {
      journals.set(targetId, await tx.journalOf(targetId));
      continue;
    }
    const after = await takeBack(tx, chain, journals.get(targetId) ?? journal, context);
    journals.set(targetId, after);
    undone.push(newestOf(after));
  }
  return undone;
}

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
    if (await isTakenBack(tx, chain)) {
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
      const after = await takeBack(tx, chain, journal, context);
      journals.set(targetId, after);
      undone.push(newestOf(after));
    } catch (error) {
      conflicts.push(conflictOf(chain, [], refusalOf(error)));
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
