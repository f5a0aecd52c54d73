import { applyOperations } from '#server/content/apply-operations';
import { quotedTitle, summarizeRestore } from '#server/content/change-summary';
import type { WriteOptions } from '#server/content/content-backend';
import type { EntryChange, Entry, EntryDocument, Version } from '#server/core/content';
import { diffDocuments } from '#server/content/diff-documents';
import { chainsOf, type ChangeChain, standsAt, tailOf } from '#server/content/embedded/change-chains';
import { commitEntry, withoutLostParent } from '#server/content/embedded/commit-entry';
import type { ContentReader, ContentTransaction, WriteContext } from '#server/content/embedded/content-store';
import { NO_PLAN, type Plan, stateFromJson, stateOf, stillAhead } from '#server/content/embedded/entry-state';
import { changeEntry, checkRevision, type EntryWriter, storedEntry } from '#server/content/embedded/entry-writes';
import { linkUndo } from '#server/content/embedded/undo-change';
import { ConflictError, NotFoundError } from '#server/core/errors';

/** See ContentBackend.versions. */
export async function readVersions(reader: ContentReader, entryId: string): Promise<Version[]> {
  await storedEntry(reader, entryId);
  return reader.versionsOf(entryId);
}

/** See ContentBackend.version. */
export async function readVersion(reader: ContentReader, entryId: string, revision: number): Promise<EntryDocument> {
  const entry = await storedEntry(reader, entryId);
  const record = await reader.journalEntryAt(entryId, revision);
  const state = record === null ? null : stateFromJson(record.after);
  if (state !== null) return state.draft;
  throw new NotFoundError('revision', String(revision), `${quotedTitle(entry.draft.title)} is at ${entry.revision}.`);
}

/** See ContentBackend.restoreVersion. */
export async function restoreVersion(
  tx: ContentTransaction,
  entryId: string,
  revision: number,
  context: WriteContext,
  { ifRevision }: WriteOptions = {},
): Promise<EntryChange> {
  const before = await storedEntry(tx, entryId);
  checkRevision(before, ifRevision);
  const version = await readVersion(tx, entryId, revision);
  const isPlaced = before.deletedAt !== null || version.parent !== before.draft.parent;
  const withoutLost = isPlaced ? await withoutLostParent(tx, entryId, version) : [];
  const target = applyOperations(version, withoutLost).document;
  const applied = applyOperations(before.draft, diffDocuments(before.draft, target));
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), draft: applied.document, deletedAt: null },
    action: before.deletedAt === null ? 'update' : 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: summarizeRestore(target.title, revision, applied.operations.length),
  });
}

/** See ContentBackend.trash. */
export const trashEntry: EntryWriter = (tx, entryId, context, options = {}) =>
  changeEntry(tx, entryId, context, options, (before) => ({
    after: { ...stateOf(before), ...NO_PLAN, deletedAt: context.now },
    action: 'delete',
    summary: `Deleted the ${before.type} ${quotedTitle(before.draft.title)}`,
  }));

function refuseTaken(trashed: Entry, owner: Entry | null, slug: string): void {
  if (owner === null || owner.id === trashed.id) return;
  const [title, other] = [trashed, owner].map(({ draft }) => quotedTitle(draft.title));
  throw new ConflictError(
    `${title} cannot be restored: the slug "${slug}" is taken by the ${owner.type} ${other} (${owner.id}). Give that one another slug (published, if it is) or trash it, then restore again.`,
    { details: { slug, id: owner.id } },
  );
}

/** A deletion that is in effect, or a creation that was undone. */
function putsIntoTrash(chain: ChangeChain): boolean {
  const { action } = chain[0].change;
  return standsAt(chain, 0) ? action === 'delete' : action === 'create';
}

/** The plan that went away with the entry, if its time still lies ahead. */
async function planBefore(tx: ContentTransaction, trashing: ChangeChain | undefined, now: number): Promise<Plan> {
  const record = trashing === undefined ? null : await tx.journalEntry(tailOf(trashing).change.id);
  return stillAhead(record === null ? null : stateFromJson(record.before), now);
}

/**
 * See ContentBackend.restore. It takes back what put the entry into the trash, so that the journal is as if that had
 * not been.
 */
export const restoreFromTrash: EntryWriter = async (tx, entryId, context, { ifRevision } = {}) => {
  const before = await storedEntry(tx, entryId);
  checkRevision(before, ifRevision);
  const { draft, published } = before;
  if (before.deletedAt === null) throw new ConflictError(`${quotedTitle(draft.title)} is not in the trash.`);
  refuseTaken(before, await tx.entryBySlug(before.type, draft.slug), draft.slug);
  if (published !== null) {
    refuseTaken(before, await tx.entryByPublishedSlug(before.type, published.slug), published.slug);
  }
  const trashing = chainsOf(await tx.journalOf(entryId))
    .filter(putsIntoTrash)
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
      ...(await planBefore(tx, trashing, context.now)),
      deletedAt: null,
    },
    action: 'restore',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: `Restored the ${before.type} ${quotedTitle(draft.title)} from the trash`,
  });
  if (trashing !== undefined) await linkUndo(tx, trashing, restored.change);
  return restored;
};
