import { summarizeOperations } from '#server/content/change-summary';
import { pathsOf } from '#server/content/document-operations';
import type { ContentReader, JournalEntry } from '#server/content/embedded/content-store';
import { type EntryState, stateFromJson } from '#server/content/embedded/entry-state';
import type { ChangeOrigin, ChangeSet } from '#server/core/changes';
import type { Entry, PatchOp } from '#server/core/content';
import { sameJson } from '#server/core/json';

/** A change to an entry that is decided and not stored. */
interface Write {
  readonly id: string;
  readonly before: Entry | null;
  readonly after: EntryState;
  readonly operations?: readonly PatchOp[];
  readonly origin: ChangeOrigin;
  readonly now: number;
}

/** Longest time that one change of somebody who types goes on, from its first letter; ms. */
const JOINED_MS = 60_000;

/** Operations that set values: done again with others, they leave nothing of the first ones. */
function onlySets(operations: readonly PatchOp[]): boolean {
  return operations.every(({ op }) => op === 'set' || op === 'unset' || op === 'set-section');
}

function samePlaces(operations: readonly PatchOp[], others: readonly PatchOp[]): boolean {
  const [one, other] = [operations, others].map((each) => [...new Set(pathsOf(each))].toSorted());
  return sameJson(one, other);
}

/** Made by hand, by the same person. */
function sameHand(one: ChangeOrigin, other: ChangeOrigin): boolean {
  const { userName: _current, ...origin } = one;
  return origin.actor !== 'assistant' && origin.toolCallId === undefined && sameJson(ordered(origin), ordered(other));
}

function ordered(origin: ChangeOrigin): unknown {
  const { actor, userId, sessionId, turnId, toolCallId, approvalId } = origin;
  return [actor, userId, sessionId, turnId, toolCallId, approvalId];
}

/**
 * The change that a write goes on with, as PatchOptions.joins says; null: it cannot. It must be the newest of the entry,
 * so that its state after is the one before the write.
 */
export async function joinableChange(
  reader: ContentReader,
  changeId: string,
  { id, before, operations = [], origin, now }: Write,
): Promise<JournalEntry | null> {
  const record = await reader.journalEntry(changeId);
  if (record === null || before === null) return null;
  const { change } = record;
  const isNewest = change.targetId === id && change.revision === before.revision;
  const isOpen = change.action === 'update' && change.undoneBy === null && now - change.createdAt < JOINED_MS;
  const isSame = onlySets(change.operations) && onlySets(operations) && samePlaces(change.operations, operations);
  return isNewest && isOpen && isSame && sameHand(change.origin, origin) ? record : null;
}

/**
 * A change with what was written after it: what takes it back stays, what it does and what it is called are the newest.
 * @param write the whole state after both
 */
export function joinedChange(
  { change, before }: JournalEntry,
  { after, operations = [] }: Pick<Write, 'after' | 'operations'>,
  revision: number,
): ChangeSet {
  const { draft } = after;
  const former = stateFromJson(before)?.draft ?? draft;
  const summary = summarizeOperations(operations, former);
  return { ...change, slug: draft.slug, title: draft.title, revision, operations, summary };
}
