import { z } from 'zod';
import { usageSchema, type Message } from '#server/core/messages';
import { type NewPart, type Part } from '#server/core/parts';
import type { CoalescedMetadata } from '#server/core/turns';
import { parseJsonColumn } from '#server/store/json-column';
import { parseLegacyContent } from '#server/store/legacy-content';
import { partFromRow, partToRow, type PartRow } from '#server/store/part-codec';
import type { messages } from '#server/store/schema';

export type MessageRow = typeof messages.$inferSelect;

const metadataSchema: z.ZodType<CoalescedMetadata> = z.object({
  coalesced: z.literal(true),
  messageCount: z.number(),
  originalMessages: z.array(z.string()),
  firstQueuedAt: z.number(),
  lastQueuedAt: z.number(),
});

/**
 * The message that a row and the rows of its parts (in order) hold. A message without parts is read from its legacy
 * content, when it has that.
 *
 * @throws CorruptRowError when a JSON column cannot be read.
 */
function messageFromRows(row: MessageRow, partRows: readonly PartRow[]): Message {
  const { content, usage, metadata, ...columns } = row;
  const place = { table: 'messages', id: row.id };
  const rows = partRows.length === 0 && content !== null ? legacyPartRows(row, content) : partRows;
  return {
    ...columns,
    usage: usage === null ? null : parseJsonColumn(usageSchema, usage, place),
    metadata: metadata === null ? null : parseJsonColumn(metadataSchema, metadata, place),
    parts: rows.map(partFromRow),
  };
}

/** Puts part rows to their messages, keeping the order of both. */
export function messagesFromRows(rows: readonly MessageRow[], partRows: readonly PartRow[]): Message[] {
  const byMessage = Map.groupBy(partRows, (part) => part.messageId);
  return rows.map((row) => messageFromRows(row, byMessage.get(row.id) ?? []));
}

/** The rows that the parts of a legacy message would have; their ids stay the same on every read. */
export function legacyPartRows(row: MessageRow, content: string): PartRow[] {
  return parseLegacyContent(content).map((part: NewPart, order) => ({
    ...partToRow(part, { messageId: row.id, sessionId: row.sessionId, order, createdAt: row.createdAt }),
    id: legacyPartId(row.id, order),
  }));
}

/** The id of a legacy message's part, for as long as it has no row of its own and afterwards. */
function legacyPartId(messageId: string, order: number): Part['id'] {
  return `${messageId}.${order}`;
}

/** The message that a legacy part id belongs to; null for the id of an ordinary part. */
export function messageIdOfLegacyPart(partId: string): string | null {
  return /^(.+)\.\d+$/.exec(partId)?.[1] ?? null;
}
