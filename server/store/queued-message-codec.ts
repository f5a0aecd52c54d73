import type { QueuedMessage } from '#server/core/turns';
import { parseJsonColumn } from '#server/store/json-column';
import { newPartsSchema } from '#server/store/part-codec';
import type { queuedMessages } from '#server/store/schema';

/** @throws CorruptRowError when the stored parts cannot be read. */
export function queuedMessageFromRow(row: typeof queuedMessages.$inferSelect): QueuedMessage {
  const { parts, rank: _rank, isReleased: _isReleased, ...columns } = row;
  return { ...columns, parts: parseJsonColumn(newPartsSchema, parts, { table: 'queued_messages', id: row.id }) };
}
