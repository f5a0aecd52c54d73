import { and, asc, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type CoalescedMetadata, type Message, usageSchema } from '#server/core/conversation/messages';
import { codedMessageSchema } from '#server/core/coded-message';
import { builtOnce, type StoreReader } from '#server/platform/database/database';
import { legacyPartRows } from '#server/conversation/store/legacy-messages';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { partFromRow, type PartRow } from '#server/conversation/store/part-codec';
import { messageParts, messages } from '#server/platform/database/schema/sessions';

export type MessageRow = typeof messages.$inferSelect;

const metadataSchema: z.ZodType<CoalescedMetadata> = z.object({
  coalesced: z.literal(true),
  messageCount: z.number(),
  originalMessages: z.array(z.string()),
  firstQueuedAt: z.number(),
  lastQueuedAt: z.number(),
});

/**
 * Builds a message from its row and the rows of its parts (in order). A message without parts is read from its legacy
 * content, if it has any.
 *
 * @throws CorruptRowError if a JSON column cannot be read.
 */
function messageFromRows(row: MessageRow, partRows: readonly PartRow[]): Message {
  const { content, errorMessage, usage, metadata, ...columns } = row;
  const place = { table: 'messages', id: row.id };
  const rows = partRows.length === 0 && content !== null ? legacyPartRows(row, content) : partRows;
  return {
    ...columns,
    errorMessage: errorMessage === null ? null : parseJsonColumn(codedMessageSchema, errorMessage, place),
    usage: usage === null ? null : parseJsonColumn(usageSchema, usage, place),
    metadata: metadata === null ? null : parseJsonColumn(metadataSchema, metadata, place),
    parts: rows.map(partFromRow),
  };
}

/** Assigns part rows to their messages, keeping the order of both. */
export function messagesFromRows(rows: readonly MessageRow[], partRows: readonly PartRow[]): Message[] {
  const byMessage = Map.groupBy(partRows, (part) => part.messageId);
  return rows.map((row) => messageFromRows(row, byMessage.get(row.id) ?? []));
}

const findParts = builtOnce((db: StoreReader) => {
  const [first, last] = [sql.placeholder('first'), sql.placeholder('last')];
  return db
    .select({ part: messageParts })
    .from(messages)
    .innerJoin(messageParts, eq(messageParts.messageId, messages.id))
    .where(and(eq(messages.sessionId, sql.placeholder('sessionId')), sql`${messages.seq} between ${first} and ${last}`))
    .orderBy(asc(messages.seq), asc(messageParts.order))
    .prepare();
});

/** Reads the parts of messages that are known to be consecutive in a session. */
export async function withParts(reader: StoreReader, rows: readonly MessageRow[]): Promise<Message[]> {
  const [first, last] = [rows.at(0), rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const partRows = await findParts(reader).all({ sessionId: first.sessionId, first: first.seq, last: last.seq });
  return messagesFromRows(
    rows,
    partRows.map(({ part }) => part),
  );
}
