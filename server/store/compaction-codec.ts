import { z } from 'zod';
import type { CompactionRecord, CompactionTrigger } from '#server/core/compactions';
import { usageSchema } from '#server/core/messages';
import { parseJsonColumn } from '#server/store/json-column';
import type { compactions } from '#server/store/schema';

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
  return {
    ...row,
    // Written by this store only, from the same type.
    trigger: row.trigger as CompactionTrigger,
    compactedMessageIds: parseJsonColumn(idsSchema, row.compactedMessageIds, where),
    ...keptFromRow(row),
    prunedPartIds: parseJsonColumn(idsSchema, row.prunedPartIds, where),
    usage: row.usage === null ? null : parseJsonColumn(usageSchema, row.usage, where),
  };
}
