import { quotedTitle, summarizeOperations } from '#server/site/change-summary';
import { storeEntry } from '#server/site/embedded/commit-entry';
import type { ContentTransaction } from '#server/site/embedded/content-store';
import { type EntryState, sameSchedule, stateOf, stateToJson } from '#server/site/embedded/entry-state';
import { type Entry, type EntryType, type PatchOp, sameDocument } from '#server/core/site/content';
import type { ChangeAction, ChangeOrigin } from '#server/core/site/changes';
import { sameJson } from '#server/core/json';
import { diffDocuments } from '#server/site/diff-documents';

/** Origin of changes that were made in WordPress itself. */
export const EXTERNAL: ChangeOrigin = { actor: 'external' };

/** A difference between WordPress and the mirror. */
interface ExternalChange {
  readonly id: string;
  readonly type: EntryType;
  readonly before: Entry | null;
  readonly after: EntryState;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Creation time in WordPress, for an entry that is new in the mirror. */
  readonly createdAt?: number;
}

/** Action of a change in WordPress, as far as the result shows it. */
function externalAction(before: EntryState | null, after: EntryState): ChangeAction {
  if (before === null) return 'create';
  if (before.deletedAt === null && after.deletedAt !== null) return 'delete';
  if (before.deletedAt !== null && after.deletedAt === null) return 'restore';
  if (before.published === null && after.published !== null) return 'publish';
  if (before.published !== null && after.published === null) return 'unpublish';
  if (!sameSchedule(before, after) && sameDocument(before.draft, after.draft)) return 'schedule';
  return 'update';
}

const DONE: Readonly<Record<string, string>> = {
  create: 'Created',
  delete: 'Deleted',
  restore: 'Restored',
  publish: 'Published',
  unpublish: 'Unpublished',
  schedule: 'Planned the publication of',
};

function summarize(action: ChangeAction, change: ExternalChange, operations: readonly PatchOp[]): string {
  const { before, after, type } = change;
  if (before === null && after.deletedAt !== null) {
    return `Found the ${type} ${quotedTitle(after.draft.title)} in the trash of WordPress`;
  }
  const done = DONE[action];
  if (done !== undefined) return `${done} the ${type} ${quotedTitle(after.draft.title)} in WordPress`;
  if (before !== null && operations.length === 0 && !sameJson(before.marks, after.marks)) {
    const marks = after.marks?.join(', ') ?? 'neither private, protected, pending nor sticky';
    return `${quotedTitle(after.draft.title)} is ${marks} now (in WordPress)`;
  }
  const what =
    before === null || operations.length === 0
      ? `Changed what is published of ${quotedTitle(after.draft.title)}`
      : summarizeOperations(operations, before.draft);
  return `${what} (in WordPress)`;
}

/**
 * Updates an entry in the mirror to WordPress's version, with one change in the journal.
 * @returns the updated entry; null if both were equal and nothing changed
 */
export async function recordExternal(tx: ContentTransaction, change: ExternalChange): Promise<Entry | null> {
  const { id, type, before, after, now } = change;
  if (before !== null && JSON.stringify(stateToJson(before)) === JSON.stringify(stateToJson(after))) return null;
  const action = externalAction(before, after);
  const operations = before === null ? [] : diffDocuments(before.draft, after.draft);
  const { entry } = await storeEntry(tx, {
    id,
    type,
    before,
    after: stateOf(after),
    action,
    operations,
    inverse: before === null ? [] : diffDocuments(after.draft, before.draft),
    summary: summarize(action, change, operations),
    origin: EXTERNAL,
    now,
    ...(change.createdAt !== undefined && { createdAt: change.createdAt }),
  });
  return entry;
}
