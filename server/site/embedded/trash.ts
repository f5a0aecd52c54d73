import { applyOperations } from '#server/site/document-operations';
import { quotedTitle } from '#server/site/change-summary';
import { chainsOf, type ChangeChain, linkUndo, isInEffectAt, tailOf } from '#server/site/embedded/change-chains';
import { commitEntry, withoutLostParent } from '#server/site/embedded/commit-entry';
import type { ContentTransaction } from '#server/site/embedded/content-store';
import {
  NO_SCHEDULE,
  type PublicationSchedule,
  stateFromJson,
  stateOf,
  upcomingSchedule,
} from '#server/site/embedded/entry-state';
import type { Entry } from '#server/core/site/content';
import { ConflictError } from '#server/core/errors';
import { shortTitle } from '#server/core/text/short-text';
import { serverText } from '#server/core/messages/server-text';
import { changeEntry, checkRevision, type EntryWriter, storedEntry } from '#server/site/embedded/entry-writes';

/* Moves entries to the trash and restores them from it. */

/** See ContentBackend.trash. */
export const trashEntry: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => ({
    after: { ...stateOf(before), ...NO_SCHEDULE, deletedAt: context.now },
    action: 'delete',
    summary: serverText('journal-deleted', { type: before.type, title: shortTitle(before.draft.title) }),
  }));

function requireFreeSlug(trashed: Entry, owner: Entry | null, slug: string): void {
  if (owner === null || owner.id === trashed.id) return;
  const [title, other] = [quotedTitle(trashed.draft.title), quotedTitle(owner.draft.title)];
  throw new ConflictError(serverText('restore-slug-taken', { title, slug, type: owner.type, other, id: owner.id }), {
    details: { slug, id: owner.id },
  });
}

/** True for a deletion that is in effect, or a creation that was undone. */
function isInTrashBecauseOf(chain: ChangeChain): boolean {
  const { action } = chain[0].change;
  return isInEffectAt(chain, 0) ? action === 'delete' : action === 'create';
}

/** The schedule that was cancelled by trashing the entry, if its time is still in the future. */
async function scheduleBefore(
  tx: ContentTransaction,
  trashing: ChangeChain | undefined,
  now: number,
): Promise<PublicationSchedule> {
  const record = trashing === undefined ? null : await tx.journalEntry(tailOf(trashing).change.id);
  return upcomingSchedule(record === null ? null : stateFromJson(record.before), now);
}

/**
 * See ContentBackend.restore. It undoes the change that put the entry into the trash, so that the journal treats both
 * as cancelled.
 */
export const restoreFromTrash: EntryWriter = async (tx, entryId, context, options = {}) => {
  const before = await storedEntry(tx, entryId);
  checkRevision(before, options);
  const { draft, published } = before;
  if (before.deletedAt === null)
    throw new ConflictError(serverText('not-in-trash', { title: shortTitle(draft.title) }));
  requireFreeSlug(before, await tx.entryBySlug(before.type, draft.slug), draft.slug);
  if (published !== null) {
    requireFreeSlug(before, await tx.entryByPublishedSlug(before.type, published.slug), published.slug);
  }
  const trashing = chainsOf(await tx.journalOf(entryId))
    .filter(isInTrashBecauseOf)
    .toSorted((a, b) => tailOf(b).seq - tailOf(a).seq)
    .at(0);
  const applied = applyOperations(draft, await withoutLostParent(tx, before.id, draft));
  const restored = await commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: {
      ...stateOf(before),
      draft: applied.document,
      ...(await scheduleBefore(tx, trashing, context.now)),
      deletedAt: null,
    },
    action: 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: serverText('journal-restored', { type: before.type, title: shortTitle(draft.title) }),
  });
  if (trashing !== undefined) await linkUndo(tx, trashing, restored.change);
  return restored;
};
