import { applyOperations } from '#server/content/apply-operations';
import { quotedTitle, summarizeRestore } from '#server/content/change-summary';
import type { EntryChange, WriteOptions } from '#server/content/content-backend';
import { diffDocuments } from '#server/content/diff-documents';
import { withoutLostParent } from '#server/content/embedded/check-parent';
import { commitEntry } from '#server/content/embedded/commit-entry';
import type { ContentReader, ContentTransaction } from '#server/content/embedded/content-store';
import { stateFromJson, stateOf } from '#server/content/embedded/entry-state';
import { checkRevision, storedEntry, type WriteContext } from '#server/content/embedded/entry-writes';
import type { EntryDocument, Version } from '#server/core/content';
import { NotFoundError } from '#server/core/errors';

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
