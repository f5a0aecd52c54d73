import {
  blockersOf,
  type ChangeChain,
  chainsOf,
  standsAt,
  subjectOf,
  tailOf,
} from '#server/content/embedded/change-chains';
import type { ContentTransaction, JournalEntry, JournalLine } from '#server/content/embedded/content-store';
import type { WriteContext } from '#server/content/embedded/entry-writes';
import { undoAssetChange } from '#server/content/embedded/undo-asset';
import { undoEntryChange } from '#server/content/embedded/undo-entry';
import { undoSiteDocumentChange } from '#server/content/embedded/undo-site-document';
import type { ChangeSet } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';

/** Says that a change took back the newest of a chain, and what of the chain stands by now. */
export async function linkUndo(tx: ContentTransaction, chain: ChangeChain, undo: ChangeSet): Promise<void> {
  await tx.setUndoes(undo.id, tailOf(chain).change.id);
  await tx.setUndoneBy(tailOf(chain).change.id, undo.id);
  for (const [index, { change }] of chain.slice(0, -1).entries()) {
    if (change.action === 'undo') continue;
    await tx.setUndoneBy(change.id, standsAt(chain, index) ? undo.id : null);
  }
}

async function undoRecord(
  tx: ContentTransaction,
  record: JournalEntry,
  journal: readonly JournalLine[],
  summary: string,
  context: WriteContext,
): Promise<ChangeSet> {
  const { targetType } = record.change;
  if (targetType === 'page' || targetType === 'post') return undoEntryChange(tx, record, journal, summary, context);
  if (targetType === 'asset') return undoAssetChange(tx, record, summary, context);
  return undoSiteDocumentChange(tx, targetType, record, summary, context);
}

/**
 * Takes back the newest of a chain, whatever came after it.
 * @returns the target's journal with the undo at its end
 */
export async function takeBack(
  tx: ContentTransaction,
  chain: ChangeChain,
  journal: readonly JournalLine[],
  context: WriteContext,
): Promise<[...JournalLine[], JournalLine]> {
  const tail = tailOf(chain);
  const record = await tx.journalEntry(tail.change.id);
  if (record === null) throw new NotFoundError('change', tail.change.id);
  const { verb, change } = subjectOf(chain);
  const undo = await undoRecord(tx, record, journal, `${verb}: ${change.summary}`, context);
  await linkUndo(tx, chain, undo);
  const seq = (journal.at(-1)?.seq ?? 0) + 1;
  return [...journal, { ...tail, change: undo, seq, undoes: tail.change.id }];
}

/** The undo at the end of a journal. */
export function newestOf(journal: readonly [...JournalLine[], JournalLine]): ChangeSet {
  return (journal.at(-1) as JournalLine).change;
}

/** What cannot be undone without losing later changes, as a sentence. */
export function lossMessage(blockers: readonly ChangeSet[]): string {
  const named = blockers.slice(0, 3).map(({ summary, id }) => `${summary} (${id})`);
  const rest = blockers.length > 3 ? `, and ${blockers.length - 3} more` : '';
  return `Later changes would be lost: ${named.join('; ')}${rest}. Undo them first.`;
}

/** The change to take back: the named one, or the session's newest that stands. */
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

/** See ContentBackend.undo. Undoing an undo brings the first change back, which then stands again. */
export async function undoChange(
  tx: ContentTransaction,
  changeId: string | undefined,
  context: WriteContext,
): Promise<ChangeSet> {
  const change = await chooseChange(tx, changeId, context.origin.sessionId);
  const journal = await tx.journalOf(change.targetId);
  const chains = chainsOf(journal);
  const chain = chains.find((each) => each.some((line) => line.change.id === change.id));
  if (chain === undefined) throw new NotFoundError('change', change.id);
  if (change.action === 'undo' && subjectOf(chain).verb === 'Undid') {
    throw new ConflictError(`"${change.summary}" brought a change back; undo that change itself.`);
  }
  const blockers = blockersOf(chain, chains);
  if (blockers.length > 0) {
    throw new ConflictError(lossMessage(blockers), { details: { changes: blockers.map(({ id }) => id) } });
  }
  return newestOf(await takeBack(tx, chain, journal, context));
}
