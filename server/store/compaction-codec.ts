import { z } from 'zod';
import type { CompactionRecord, CompactionTrigger } from '#server/core/compactions';
import { usageSchema } from '#server/core/messages';
import { parseJsonColumn } from '#server/store/json-column';
import type { compactions } from '#server/store/schema';

export type CompactionRow = typeof compactions.$inferSelect;

const idsSchema = z.array(z.string());

/** @throws CorruptRowError when a JSON column cannot be read. */
export function compactionFromRow(row: CompactionRow): CompactionRecord {
  const where = { table: 'compactions', id: row.id };
  return {
    ...row,
    // Written by this store only, from the same type.
    trigger: row.trigger as CompactionTrigger,
    compactedMessageIds: parseJsonColumn(idsSchema, row.compactedMessageIds, where),
    prunedPartIds: parseJsonColumn(idsSchema, row.prunedPartIds, where),
    usage: row.usage === null ? null : parseJsonColumn(usageSchema, row.usage, where),
  };
}
