import { and, desc, eq, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { CompactionRecord, CompactionTrigger } from '#server/core/compactions';
import { PRUNE_STRATEGY } from '#server/core/engine-words';
import { usageSchema } from '#server/core/messages';
import { builtOnce, type StoreReader } from '#server/store/database';
import { parseJsonColumn } from '#server/store/part-codec';
import { marksFromRow } from '#server/store/prune-marks';
import { compactions } from '#server/store/schema/sessions';

/* Rows of compactions and prunes. */

export type CompactionRow = typeof compactions.$inferSelect;

const idsSchema = z.array(z.string());

/**
 * The messages before the cut that a compaction keeps. Every step asks for them, so the long list of what was compacted
 * is not read along.
 *
 * @throws CorruptRowError when a JSON column cannot be read.
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
    // Written by this store only, from the same type.
    trigger: row.trigger as CompactionTrigger,
    compactedMessageIds: parseJsonColumn(idsSchema, row.compactedMessageIds, where),
    ...keptFromRow(row),
    prunedPartIds: marksFromRow(row).map(({ partId }) => partId),
    usage: row.usage === null ? null : parseJsonColumn(usageSchema, row.usage, where),
  };
}

const findNewest = builtOnce((db: Pick<StoreReader, 'select'>) =>
  db
    .select({
      id: compactions.id,
      keptBeforeSummary: compactions.keptBeforeSummary,
      keptAfterSummary: compactions.keptAfterSummary,
      firstKeptMessageId: compactions.firstKeptMessageId,
      summaryMessageId: compactions.summaryMessageId,
    })
    .from(compactions)
    .where(
      and(
        eq(compactions.sessionId, sql.placeholder('sessionId')),
        eq(compactions.status, 'completed'),
        ne(compactions.strategy, PRUNE_STRATEGY),
      ),
    )
    .orderBy(desc(compactions.createdAt), desc(compactions.id))
    .limit(1)
    .prepare(),
);

/**
 * The compaction that a session's view starts from: the newest that was completed, not undone, and no prune.
 * Undefined while nothing is compacted. Only what a view needs: the ids it replaced are long and nobody reads them here.
 */
export function findActiveCompaction(db: Pick<StoreReader, 'select'>, sessionId: string) {
  return findNewest(db).get({ sessionId });
}
