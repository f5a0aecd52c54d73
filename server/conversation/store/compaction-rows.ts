import { and, desc, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { z } from 'zod';
import type { CompactionRecord, CompactionTrigger } from '#server/core/conversation/compactions';
import { PRUNE_STRATEGY } from '#server/core/conversation/labels';
import { usageSchema } from '#server/core/conversation/messages';
import { builtOnce, type StoreReader } from '#server/platform/database/database';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { marksFromRow } from '#server/conversation/store/prune-marks';
import { compactions } from '#server/platform/database/schema/sessions';

/* Rows of compactions and prunes. */

export type CompactionRow = typeof compactions.$inferSelect;

const idsSchema = z.array(z.string());

/**
 * The messages before the cut that a compaction keeps. Every step reads them, so the long list of compacted messages is
 * not loaded with them.
 *
 * @throws CorruptRowError if a JSON column cannot be read.
 */
export function keptFromRow(row: Pick<CompactionRow, 'id' | 'keptBeforeSummary' | 'keptAfterSummary'>) {
  const where = { table: 'compactions', id: row.id };
  return {
    keptBeforeSummary: parseJsonColumn(idsSchema, row.keptBeforeSummary, where),
    keptAfterSummary: parseJsonColumn(idsSchema, row.keptAfterSummary, where),
  };
}

/** @throws CorruptRowError when a JSON column cannot be read. */
export function compactionFromRow(row: CompactionRow): CompactionRecord {
  const where = { table: 'compactions', id: row.id };
  const { workingContext: _, ...columns } = row;
  return {
    ...columns,
    // Only this store writes the column, from the same type.
    trigger: row.trigger as CompactionTrigger,
    compactedMessageIds: parseJsonColumn(idsSchema, row.compactedMessageIds, where),
    ...keptFromRow(row),
    prunedPartIds: marksFromRow(row).map(({ partId }) => partId),
    usage: row.usage === null ? null : parseJsonColumn(usageSchema, row.usage, where),
  };
}

/** The completed compactions of the session `:sessionId` that were not undone and are no prunes; the newest is active. */
const isCandidate = and(
  eq(compactions.sessionId, sql.placeholder('sessionId')),
  eq(compactions.status, 'completed'),
  ne(compactions.strategy, PRUNE_STRATEGY),
);
const newestFirst = [desc(compactions.createdAt), desc(compactions.id)];

const findNewest = builtOnce((db: StoreReader) =>
  db
    .select({
      id: compactions.id,
      keptBeforeSummary: compactions.keptBeforeSummary,
      keptAfterSummary: compactions.keptAfterSummary,
      firstKeptMessageId: compactions.firstKeptMessageId,
      summaryMessageId: compactions.summaryMessageId,
    })
    .from(compactions)
    .where(isCandidate)
    .orderBy(...newestFirst)
    .limit(1)
    .prepare(),
);

/**
 * Expressions about the compaction that the view of the session `:sessionId` starts from: its id, null before the first
 * one, and the `seq` of the first message after it. If the first message is gone, the view starts from the beginning:
 * showing a message twice is better than losing one.
 */
export function activeCompaction(db: StoreReader) {
  const { summaryMessageId, firstKeptMessageId } = compactions;
  const seqOf = (id: SQLiteColumn) => sql`(select its.seq from messages as its where its.id = ${id})`;
  const start = sql<number>`case
    when ${seqOf(summaryMessageId)} is null then 0
    when ${firstKeptMessageId} is null then ${seqOf(summaryMessageId)} + 1
    else coalesce(${seqOf(firstKeptMessageId)}, 0) end`;
  const newest = (value: SQLiteColumn | SQL) =>
    db
      .select({ value: sql`${value}` })
      .from(compactions)
      .where(isCandidate)
      .orderBy(...newestFirst)
      .limit(1);
  return {
    id: sql<string | null>`(${newest(compactions.id)})`,
    fromSeq: sql<number>`coalesce((${newest(start)}), 0)`,
  };
}

/**
 * The compaction that a session's view starts from: the newest that is completed, not undone and not a prune. Undefined
 * before the first one. Loads only what a view needs: the ids of the replaced messages are a long list that is not used
 * here.
 */
export function findActiveCompaction(db: StoreReader, sessionId: string) {
  return findNewest(db).get({ sessionId });
}
