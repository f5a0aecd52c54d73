import { applyOperations } from '#server/content/apply-operations';
import { quotedTitle, summarizeCreation, summarizeOperations, summarizeRestore } from '#server/content/change-summary';
import type { EntryChange, NewEntry, WriteOptions } from '#server/content/content-backend';
import { diffDocuments } from '#server/content/diff-documents';
import { commitEntry } from '#server/content/embedded/commit-entry';
import type { ContentTransaction } from '#server/content/embedded/content-store';
import { stateFromJson, stateOf } from '#server/content/embedded/entry-state';
import { freeId } from '#server/content/embedded/new-change';
import { newDocument } from '#server/content/entry-document';
import type { ChangeOrigin, Entry, PatchOp } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';

/** Who writes, and when (epoch milliseconds). */
export interface WriteContext {
  readonly origin: ChangeOrigin;
  readonly now: number;
}

async function storedEntry(tx: ContentTransaction, entryId: string): Promise<Entry> {
  const entry = await tx.entry(entryId);
  if (entry === null) throw new NotFoundError('entry', entryId.slice(0, 80));
  return entry;
}

async function liveEntry(tx: ContentTransaction, entryId: string): Promise<Entry> {
  const entry = await storedEntry(tx, entryId);
  if (entry.deletedAt !== null)
    throw new NotFoundError('entry', entryId, `${quotedTitle(entry.draft.title)} was deleted.`);
  return entry;
}

/** See ContentBackend.create. */
export async function createEntry(
  tx: ContentTransaction,
  entry: NewEntry,
  context: WriteContext,
): Promise<EntryChange> {
  const draft = newDocument(entry);
  const id = await freeId(
    entry.type === 'page' ? 'pag' : 'pos',
    async (candidate) => (await tx.entry(candidate)) !== null,
  );
  return commitEntry(tx, {
    ...context,
    id,
    type: entry.type,
    before: null,
    after: { draft, published: null, publishedAt: null, deletedAt: null },
    action: 'create',
    summary: summarizeCreation(entry.type, draft),
  });
}

function checkRevision(entry: Entry, ifRevision: number | undefined): void {
  if (ifRevision === undefined || ifRevision === entry.revision) return;
  throw new ConflictError(
    `${quotedTitle(entry.draft.title)} has changed: it is at revision ${entry.revision}, not ${ifRevision}. Read it again.`,
    { details: { revision: entry.revision } },
  );
}

/** See ContentBackend.patch. */
export async function patchEntry(
  tx: ContentTransaction,
  entryId: string,
  operations: readonly PatchOp[],
  context: WriteContext,
  options: WriteOptions,
): Promise<EntryChange> {
  if (operations.length === 0) throw new InvalidInputError('There is nothing to change.');
  const before = await liveEntry(tx, entryId);
  checkRevision(before, options.ifRevision);
  const applied = applyOperations(before.draft, operations);
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), draft: applied.document },
    action: 'update',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: summarizeOperations(applied.operations, before.draft),
  });
}

/** See ContentBackend.publish. The first publication dates the entry; publishing again keeps the date. */
export async function publishEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
): Promise<EntryChange> {
  const before = await liveEntry(tx, entryId);
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), published: before.draft, publishedAt: before.publishedAt ?? context.now },
    action: 'publish',
    summary: `Published ${quotedTitle(before.draft.title)}`,
  });
}

/** See ContentBackend.unpublish. */
export async function unpublishEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
): Promise<EntryChange> {
  const before = await liveEntry(tx, entryId);
  if (before.published === null) throw new ConflictError(`${quotedTitle(before.draft.title)} is not published.`);
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), published: null, publishedAt: null },
    action: 'unpublish',
    summary: `Unpublished ${quotedTitle(before.draft.title)}`,
  });
}

/** See ContentBackend.delete. */
export async function deleteEntry(
  tx: ContentTransaction,
  entryId: string,
  context: WriteContext,
): Promise<EntryChange> {
  const before = await liveEntry(tx, entryId);
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), deletedAt: context.now },
    action: 'delete',
    summary: `Deleted the ${before.type} ${quotedTitle(before.draft.title)}`,
  });
}

/** See ContentBackend.restore. A deleted entry comes back. */
export async function restoreEntry(
  tx: ContentTransaction,
  entryId: string,
  revision: number,
  context: WriteContext,
): Promise<EntryChange> {
  const before = await storedEntry(tx, entryId);
  const record = await tx.journalEntryAt(entryId, revision);
  const target = record === null ? null : stateFromJson(record.after);
  if (target === null) {
    throw new NotFoundError(
      'revision',
      String(revision),
      `${quotedTitle(before.draft.title)} is at ${before.revision}.`,
    );
  }
  const applied = applyOperations(before.draft, diffDocuments(before.draft, target.draft));
  return commitEntry(tx, {
    ...context,
    id: before.id,
    type: before.type,
    before,
    after: { ...stateOf(before), draft: applied.document, deletedAt: null },
    action: 'update',
    operations: applied.operations,
    inverse: applied.inverse,
    summary: summarizeRestore(target.draft.title, revision, applied.operations.length),
  });
}
