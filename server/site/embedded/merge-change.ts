import { summarizeOperations } from '#server/site/change-summary';
import type { ContentReader, JournalEntry } from '#server/site/embedded/content-store';
import { type EntryState, stateFromJson } from '#server/site/embedded/entry-state';
import type { ChangeOrigin, ChangeSet } from '#server/core/site/changes';
import type { Entry, PatchOp } from '#server/core/site/content';
import { sameJson } from '#server/core/json';
import { pathsOf } from '#server/site/document-paths';

/** A decided change to an entry that is not yet stored. */
interface Write {
  readonly id: string;
  readonly before: Entry | null;
  readonly after: EntryState;
  readonly operations?: readonly PatchOp[];
  readonly origin: ChangeOrigin;
  readonly now: number;
}

/** Longest time, from the first write, within which further writes are merged into one change; milliseconds. */
const MERGE_WINDOW_MS = 60_000;

/** True for operations that only set values: the same operations with later values replace them completely. */
function onlySets(operations: readonly PatchOp[]): boolean {
  return operations.every(({ op }) => op === 'set' || op === 'unset' || op === 'set-section');
}

function samePlaces(operations: readonly PatchOp[], others: readonly PatchOp[]): boolean {
  const [one, other] = [operations, others].map((each) => [...new Set(pathsOf(each))].toSorted());
  return sameJson(one, other);
}

/** True if the same person made both changes directly, without the assistant or a tool call. */
function bothByHand(one: ChangeOrigin, other: ChangeOrigin): boolean {
  const { userName: _current, ...origin } = one;
  return origin.actor !== 'assistant' && origin.toolCallId === undefined && sameJson(ordered(origin), ordered(other));
}

function ordered(origin: ChangeOrigin): unknown {
  const { actor, userId, sessionId, turnId, toolCallId, approvalId } = origin;
  return [actor, userId, sessionId, turnId, toolCallId, approvalId];
}

/**
 * The change `changeId` if the write can be merged into it (see PatchOptions.joins), otherwise null. The change must be the
 * newest of the entry, so that its state after is the state before the write.
 */
export async function mergeableChange(
  reader: ContentReader,
  changeId: string,
  { id, before, operations = [], origin, now }: Write,
): Promise<JournalEntry | null> {
  const record = await reader.journalEntry(changeId);
  if (record === null || before === null) return null;
  const { change } = record;
  const isNewest = change.targetId === id && change.revision === before.revision;
  const isOpen = change.action === 'update' && change.undoneBy === null && now - change.createdAt < MERGE_WINDOW_MS;
  const isSame = onlySets(change.operations) && onlySets(operations) && samePlaces(change.operations, operations);
  return isNewest && isOpen && isSame && bothByHand(change.origin, origin) ? record : null;
}

/**
 * A change merged with a later write: it keeps its id, time and inverse, and takes the operations of the write. The summary
 * describes the difference between the state before the change and the state after the write.
 */
export function mergedChange(
  { change, before }: JournalEntry,
  { after, operations = [] }: Write,
  revision: number,
): ChangeSet {
  const { draft } = after;
  const former = stateFromJson(before)?.draft ?? draft;
  const { text: summary, ...summaryMessage } = summarizeOperations(operations, former);
  return { ...change, slug: draft.slug, title: draft.title, revision, operations, summary, summaryMessage };
}
