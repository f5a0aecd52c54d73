import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage } from '#server/core/messages';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import { isSession } from '#server/store/delete-session';
import { legacyPartRows, messagesFromRows, type MessageRow } from '#server/store/message-codec';
import { partToRow } from '#server/store/part-codec';
import { messageParts, messages, sessions } from '#server/store/schema';

/** Rows per INSERT: 15 columns each stay far below SQLite's 32,766 parameters. */
const ROWS_PER_INSERT = 500;

/** What only the store itself sets on a new message. */
export interface MessageExtras {
  readonly isSummary?: boolean;
  readonly finishReason?: string;
  /** Of an import that is not through yet: the session is not marked as used. */
  readonly supersededBy?: string;
}

/**
 * Appends messages to a session in their order and marks the session as used.
 *
 * @throws NotFoundError when the session does not exist.
 */
export async function insertMessages(
  tx: StoreTransaction,
  sessionId: string,
  newMessages: readonly NewMessage[],
  createdAt: number,
  extras: MessageExtras = {},
): Promise<Message[]> {
  const touched = await tx
    .update(sessions)
    .set({ updatedAt: extras.supersededBy === undefined ? createdAt : sql`${sessions.updatedAt}` })
    .where(isSession(sessionId))
    .run();
  if (touched.rowsAffected === 0) throw new NotFoundError('session', sessionId);

  const firstSeq = await nextSeq(tx, sessionId);
  const rows = newMessages.map((message, index) => ({
    ...messageToRow(message, sessionId, createdAt, extras),
    seq: firstSeq + index,
  }));
  const partRows = rows.flatMap((row, index) =>
    newMessages[index]!.parts.map((part, order) => partToRow(part, { messageId: row.id, sessionId, order, createdAt })),
  );
  const stored = messagesFromRows(rows, partRows);
  for (const chunk of chunks(rows)) await tx.insert(messages).values(chunk);
  for (const chunk of chunks(partRows)) await tx.insert(messageParts).values(chunk);
  return stored;
}

async function nextSeq(tx: StoreTransaction, sessionId: string): Promise<number> {
  const last = await tx
    .select({ seq: sql<number>`coalesce(max(${messages.seq}), 0)` })
    .from(messages)
    .where(eq(messages.sessionId, sessionId))
    .get();
  return (last?.seq ?? 0) + 1;
}

function messageToRow(
  message: NewMessage,
  sessionId: string,
  createdAt: number,
  { isSummary = false, finishReason, supersededBy }: MessageExtras,
): Omit<MessageRow, 'seq'> {
  return {
    id: message.id ?? createId('msg'),
    sessionId,
    role: message.role,
    status: message.status ?? 'complete',
    isSummary,
    parentId: message.parentId ?? null,
    turnId: message.turnId ?? null,
    modelId: message.modelId ?? null,
    finishReason: finishReason ?? message.finishReason ?? null,
    error: message.error ?? null,
    usage: message.usage ? JSON.stringify(message.usage) : null,
    metadata: message.metadata ? JSON.stringify(message.metadata) : null,
    content: null,
    supersededBy: supersededBy ?? null,
    createdAt,
  };
}

function chunks<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / ROWS_PER_INSERT);
  return Array.from({ length: count }, (_, i) => rows.slice(i * ROWS_PER_INSERT, (i + 1) * ROWS_PER_INSERT));
}

/** Reads the parts of messages that are known to be one after the other in a session. */
export async function withParts(reader: Pick<StoreReader, 'select'>, rows: readonly MessageRow[]): Promise<Message[]> {
  const [first, last] = [rows.at(0), rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const partRows = await reader
    .select({ part: messageParts })
    .from(messages)
    .innerJoin(messageParts, eq(messageParts.messageId, messages.id))
    .where(and(eq(messages.sessionId, first.sessionId), sql`${messages.seq} between ${first.seq} and ${last.seq}`))
    .orderBy(asc(messages.seq), asc(messageParts.order));
  return messagesFromRows(
    rows,
    partRows.map(({ part }) => part),
  );
}

/**
 * Moves the content of legacy messages into parts, which keep the ids they were read with. Leaves all other messages
 * as they are. Returns how many parts it made.
 */
export async function backfillLegacyMessages(tx: StoreTransaction, messageIds: readonly string[]): Promise<number> {
  const rows = await tx
    .select()
    .from(messages)
    .where(
      and(
        inArray(messages.id, [...messageIds]),
        sql`${messages.content} is not null`,
        sql`not exists (select 1 from ${messageParts} where ${messageParts.messageId} = ${messages.id})`,
      ),
    );
  const partRows = rows.flatMap((row) => (row.content === null ? [] : legacyPartRows(row, row.content)));
  for (const chunk of chunks(partRows)) await tx.insert(messageParts).values(chunk);
  return partRows.length;
}
