import { serverText } from '#server/core/messages/server-text';
import { applyOperations } from '#server/site/document-operations';
import { quotedTitle, summarizeRestore } from '#server/site/change-summary';
import { commitEntry, withoutLostParent } from '#server/site/embedded/commit-entry';
import type { ContentReader, ContentTransaction, WriteContext } from '#server/site/embedded/content-store';
import { stateFromJson, stateOf } from '#server/site/embedded/entry-state';
import type { EntryDocument } from '#server/core/site/content';
import type { EntryChange, Version, WriteOptions } from '#server/core/site/changes';
import { NotFoundError } from '#server/core/errors';
import { checkRevision, storedEntry } from '#server/site/embedded/entry-writes';
import { diffDocuments } from '#server/site/diff-documents';

/* Lists and restores the versions of an entry. */

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
  throw new NotFoundError(
    'revision',
    String(revision),
    serverText('entry-at-revision', { title: quotedTitle(entry.draft.title), revision: entry.revision }),
  );
}

/** See ContentBackend.restoreVersion. */
export async function restoreVersion(
  tx: ContentTransaction,
  entryId: string,
  revision: number,
  context: WriteContext,
  options: WriteOptions = {},
): Promise<EntryChange> {
  const before = await storedEntry(tx, entryId);
  checkRevision(before, options);
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
