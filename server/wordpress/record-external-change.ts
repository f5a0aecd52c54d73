import { summarizeOperations } from '#server/site/change-summary';
import { storeEntry } from '#server/site/embedded/commit-entry';
import type { ContentTransaction } from '#server/site/embedded/content-store';
import { type EntryState, sameSchedule, stateOf, stateToJson } from '#server/site/embedded/entry-state';
import { type Entry, type EntryType, type PatchOp, sameDocument } from '#server/core/site/content';
import type { ChangeAction, ChangeOrigin } from '#server/core/site/changes';
import { sameJson } from '#server/core/json';
import { diffDocuments } from '#server/site/diff-documents';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';
import { shortTitle } from '#server/core/text/short-text';

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

/** Actions that are named with the entry; those of other changes are described by what they changed. */
const NAMED_ACTIONS: ReadonlySet<ChangeAction> = new Set([
  'create',
  'delete',
  'restore',
  'publish',
  'unpublish',
  'schedule',
]);

function summarize(action: ChangeAction, change: ExternalChange, operations: readonly PatchOp[]): ServerText {
  const { before, after, type } = change;
  const title = shortTitle(after.draft.title);
  if (before === null && after.deletedAt !== null) return serverText('journal-wordpress-trash', { type, title });
  if (NAMED_ACTIONS.has(action)) return serverText('journal-wordpress-entry', { action, type, title });
  if (before !== null && operations.length === 0 && !sameJson(before.marks, after.marks)) {
    const marks = (after.marks ?? []).map((mark): ServerText => ({ code: `mark.${mark}`, params: {}, text: mark }));
    return marks.length === 0
      ? serverText('journal-wordpress-no-marks', { title })
      : serverText('journal-wordpress-marks', { title, marks });
  }
  if (before === null || operations.length === 0) return serverText('journal-wordpress-published', { title });
  return serverText('journal-wordpress-changed', { change: summarizeOperations(operations, before.draft) });
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
