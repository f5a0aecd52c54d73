import { and, desc, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { errorFields } from '#server/core/message-data';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import { importReportSchema, type KeptComment, keptCommentSchema } from '#server/core/site/imports';
import { serverText } from '#server/core/messages/server-text';
import type { ImportStore, KeptRun } from '#server/import-export/import-work';
import type { Database } from '#server/platform/database/database';
import { importedComments, importedItems, importRuns } from '#server/platform/database/schema/content';
import { CorruptRowError, storableText } from '#server/platform/database/json-column';

/** Maximum number of runs in a list. A choice, not measured. */
const MAX_LISTED_RUNS = 50;

type Row = typeof importRuns.$inferSelect;
const commentsSchema = z.array(keptCommentSchema);

/** Reads the comments that were imported with entries. */
export interface KeptComments {
  /** Comments of all entries of a site, by entry id. */
  comments(siteId: string): Promise<ReadonlyMap<string, readonly KeptComment[]>>;
}

function fromRow({ userId: _userId, ...row }: Row): KeptRun {
  const report = importReportSchema.safeParse(row.report);
  if (!report.success) throw new CorruptRowError('import_runs', row.id, report.error);
  return { ...row, report: report.data };
}

/**
 * Storage of import runs, of what they imported (so that a repeated import recognises it), and of imported comments.
 * @param now epoch milliseconds
 */
export function createImportRepository(db: Database, now: () => number = Date.now): ImportStore & KeptComments {
  const runs = (where: SQL) =>
    db.read.select().from(importRuns).where(where).orderBy(desc(importRuns.createdAt), desc(importRuns.id));
  return {
    begin: (run) =>
      db.write(async (tx) => {
        const isOfSite = and(eq(importRuns.siteId, run.siteId), eq(importRuns.status, 'running'));
        const other = await tx.select({ filename: importRuns.filename }).from(importRuns).where(isOfSite).get();
        if (other) throw new ConflictError(serverText('import-is-running', { filename: other.filename }));
        const row: Row = {
          ...run,
          id: createId('imp'),
          userId: run.userId ?? null,
          filename: storableText(run.filename),
          status: 'running',
          done: 0,
          error: null,
          errorMessage: null,
          createdAt: now(),
          finishedAt: null,
        };
        await tx.insert(importRuns).values(row);
        return fromRow(row);
      }),

    async update(id, { error, ...state }) {
      const isRunning = and(eq(importRuns.id, id), eq(importRuns.status, 'running'));
      const reason = error && { ...error, text: storableText(error.text) };
      const values = { ...state, ...(reason && errorFields(reason)) };
      await db.write((tx) => tx.update(importRuns).set(values).where(isRunning));
    },

    async get(id) {
      const row = await db.read.select().from(importRuns).where(eq(importRuns.id, id)).get();
      if (!row) throw new NotFoundError('import', id.slice(0, 80));
      return fromRow(row);
    },

    list: async (siteId) =>
      (await runs(siteId === undefined ? sql`true` : eq(importRuns.siteId, siteId)).limit(MAX_LISTED_RUNS)).map(
        fromRow,
      ),
    running: async () => (await runs(eq(importRuns.status, 'running'))).map(fromRow),

    async items(siteId, source) {
      const { sourceKey, localId, hash, revision } = importedItems;
      const rows = await db.read
        .select({ sourceKey, localId, hash, revision })
        .from(importedItems)
        .where(and(eq(importedItems.siteId, siteId), eq(importedItems.source, source)));
      return new Map(rows.map((item) => [item.sourceKey, item]));
    },

    async knows(siteId, localId) {
      const isOne = and(eq(importedItems.siteId, siteId), eq(importedItems.localId, localId));
      return (await db.read.select({ hash: importedItems.hash }).from(importedItems).where(isOne).get()) !== undefined;
    },

    async remember(siteId, source, { sourceKey, ...item }) {
      const changing = { ...item, updatedAt: now() };
      await db.write((tx) =>
        tx
          .insert(importedItems)
          .values({ siteId, source: storableText(source), sourceKey: storableText(sourceKey), ...changing })
          .onConflictDoUpdate({
            target: [importedItems.siteId, importedItems.source, importedItems.sourceKey],
            set: changing,
          }),
      );
    },

    async forget(siteId, localIds) {
      if (localIds.length === 0) return;
      const isOne = and(eq(importedItems.siteId, siteId), inArray(importedItems.localId, [...localIds]));
      const isOfEntry = and(eq(importedComments.siteId, siteId), inArray(importedComments.entryId, [...localIds]));
      await db.write(async (tx) => {
        await tx.delete(importedItems).where(isOne);
        await tx.delete(importedComments).where(isOfEntry);
      });
    },

    async keepComments(siteId, entryId, comments) {
      const values = { siteId, entryId, comments };
      const target = [importedComments.siteId, importedComments.entryId];
      await db.write((tx) =>
        tx.insert(importedComments).values(values).onConflictDoUpdate({ target, set: { comments } }),
      );
    },

    async comments(siteId) {
      const rows = await db.read.select().from(importedComments).where(eq(importedComments.siteId, siteId));
      return new Map(rows.map(({ entryId, comments }) => [entryId, commentsSchema.catch([]).parse(comments)]));
    },
  };
}
