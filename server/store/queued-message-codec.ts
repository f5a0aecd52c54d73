import type { QueuedMessage } from '#server/core/messages';
import { parseJsonColumn } from '#server/store/json-column';
import { newPartsSchema } from '#server/store/part-codec';
import type { queuedMessages } from '#server/store/schema';

/** @throws CorruptRowError when the stored parts cannot be read. */
export function queuedMessageFromRow({ parts, ...columns }: typeof queuedMessages.$inferSelect): QueuedMessage {
  return { ...columns, parts: parseJsonColumn(newPartsSchema, parts, { table: 'queued_messages', id: columns.id }) };
}
