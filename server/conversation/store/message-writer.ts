import { and, eq, getTableColumns, gt, inArray, max, type Placeholder, sql } from 'drizzle-orm';
import type { MessageWriter } from '#server/conversation/step/answer-writer';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { NewPart, Part } from '#server/core/conversation/parts';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { legacyPartRows } from '#server/conversation/store/legacy-messages';
import { type MessageRow, messagesFromRows } from '#server/conversation/store/message-rows';
import { storableText } from '#server/platform/database/json-column';
import { encodeContent, partFromRow, type PartRow, partToRow } from '#server/conversation/store/part-codec';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';

/* The only code that adds messages and parts, and that assigns `seq` and the order of parts. */

/** Fields of a new message that only the store itself sets. */
export interface MessageExtras {
  readonly isSummary?: boolean;
  readonly finishReason?: string;
  /** Set by an unfinished import: the session is not marked as used. */
  readonly supersededBy?: string;
}

/**
 * Appends messages to a session in order and marks the session as used.
 *
 * @throws NotFoundError if the session does not exist.
 */
export async function insertMessages(
  tx: StoreTransaction,
  sessionId: string,
  newMessages: readonly NewMessage[],
  createdAt: number,
  extras: MessageExtras = {},
): Promise<Message[]> {
  const usedAt = extras.supersededBy === undefined ? createdAt : null;
  const touched = await touchSession(tx).run({ sessionId, usedAt });
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
  await insertEach(
    rows,
    (row) => insertMessage(tx).run(row),
    (chunk) => tx.insert(messages).values(chunk),
  );
  await insertParts(tx, partRows);
  return stored;
}

function insertParts(tx: StoreTransaction, rows: readonly PartRow[]): Promise<void> {
  return insertEach(
    rows,
    (row) => insertPart(tx).run(row),
    (chunk) => tx.insert(messageParts).values(chunk),
  );
}

/** Rows per INSERT: with 16 columns each, far below SQLite's limit of 32,766 parameters. */
const ROWS_PER_INSERT = 500;

/** Inserts rows, many per statement: on a database server each statement is a round trip. */
async function insertEach<Row>(
  rows: readonly Row[],
  insertOne: (row: Row) => PromiseLike<unknown>,
  insertMany: (rows: Row[]) => PromiseLike<unknown>,
): Promise<void> {
  const [only] = rows;
  if (only && rows.length === 1) await insertOne(only);
  else
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT)
      await insertMany(rows.slice(from, from + ROWS_PER_INSERT));
}

const touchSession = builtOnce((tx: StoreTransaction) =>
  tx
    .update(sessions)
    .set({ updatedAt: sql`coalesce(${sql.placeholder('usedAt')}, ${sessions.updatedAt})` })
    .where(isLiveSession(sql.placeholder('sessionId')))
    .prepare(),
);

const insertMessage = builtOnce((tx: StoreTransaction) => tx.insert(messages).values(everyColumn(messages)).prepare());

const insertPart = builtOnce((tx: StoreTransaction) =>
  tx.insert(messageParts).values(everyColumn(messageParts)).prepare(),
);

/** A placeholder for each column of a table, by name. */
function everyColumn<Table extends typeof messages | typeof messageParts>(table: Table) {
  return placeholders(Object.keys(getTableColumns(table))) as { [Name in keyof Table['$inferSelect']]: Placeholder };
}

function placeholders(names: readonly string[]): Record<string, Placeholder> {
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
}

/**
 * Updates columns of one row; the query for each combination of columns is built once. Undefined columns are unchanged;
 * null: nothing to update.
 */
function updatesOf(table: typeof messages | typeof messageParts) {
  const build = (names: readonly string[]) =>
    builtOnce((tx: StoreTransaction) =>
      tx
        .update(table)
        .set(placeholders(names))
        .where(eq(table.id, sql.placeholder('rowId')))
        .prepare(),
    );
  const built = new Map<string, ReturnType<typeof build>>();
  return (rowId: string, changes: Readonly<Record<string, unknown>>) => {
    const names = Object.keys(changes).filter((name) => changes[name] !== undefined);
    // drizzle refuses an empty update.
    if (names.length === 0) return null;
    const key = names.join();
    const update = built.get(key) ?? build(names);
    built.set(key, update);
    return (tx: StoreTransaction) => update(tx).run({ ...changes, rowId });
  };
}

const updatePart = updatesOf(messageParts);
const updateMessage = updatesOf(messages);

const findLastSeq = builtOnce((tx: StoreReader) =>
  tx
    .select({ seq: sql<number>`coalesce(max(${messages.seq}), 0)` })
    .from(messages)
    .where(eq(messages.sessionId, sql.placeholder('sessionId')))
    .prepare(),
);

async function nextSeq(tx: StoreTransaction, sessionId: string): Promise<number> {
  const last = await findLastSeq(tx).get({ sessionId });
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

/** Inserts a message directly after another, even if later messages exist. */
export async function insertBehind(
  tx: StoreTransaction,
  before: Pick<Message, 'sessionId' | 'seq'>,
  message: NewMessage,
  now: number,
  extras?: MessageExtras,
): Promise<void> {
  const { sessionId, seq } = before;
  const [inserted] = await insertMessages(tx, sessionId, [message], now, extras);
  if (inserted!.seq === seq + 1) return;
  // `seq` is unique at every moment, so the later messages are moved below zero before all move up by one.
  await tx
    .update(messages)
    .set({ seq: sql`case when ${messages.id} = ${inserted!.id} then -(${seq} + 1) else -(${messages.seq} + 1) end` })
    .where(and(eq(messages.sessionId, sessionId), gt(messages.seq, seq)));
  await tx
    .update(messages)
    .set({ seq: sql`-${messages.seq}` })
    .where(and(eq(messages.sessionId, sessionId), sql`${messages.seq} < 0`));
}

/** Appends parts to a message. */
export async function appendParts(
  tx: StoreTransaction,
  { id: messageId, sessionId }: Pick<Message, 'id' | 'sessionId'>,
  parts: readonly NewPart[],
  createdAt: number,
): Promise<Part[]> {
  // A legacy message stores its parts in a column.
  await backfillLegacyMessages(tx, [messageId]);
  const last = await tx
    .select({ order: max(messageParts.order) })
    .from(messageParts)
    .where(eq(messageParts.messageId, messageId))
    .get();
  const first = (last?.order ?? -1) + 1;
  const rows = parts.map((part, index) => partToRow(part, { messageId, sessionId, order: first + index, createdAt }));
  const stored = rows.map(partFromRow);
  await insertParts(tx, rows);
  return stored;
}

/**
 * Moves the content of legacy messages into parts, with the ids under which they were read. Leaves all other messages
 * unchanged.
 */
export async function backfillLegacyMessages(tx: StoreTransaction, messageIds: readonly string[]): Promise<void> {
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
  await insertParts(tx, partRows);
}

/**
 * Writes to a conversation, each in a separate transaction.
 * @param write runs the work in one transaction; it may refuse
 */
export function createMessageWriter(write: Database['write'], now: () => number): MessageWriter {
  return {
    append: async (sessionId, message, order) =>
      (await write((tx) => insertMessages(tx, sessionId, [message], now()), order))[0]!,

    addPart: (messageId, part) =>
      write(async (tx) => {
        const message = await tx
          .select({ id: messages.id, sessionId: messages.sessionId })
          .from(messages)
          .where(eq(messages.id, messageId))
          .get();
        if (!message) throw new NotFoundError('message', messageId);
        return (await appendParts(tx, message, [part], now()))[0]!;
      }),

    async updatePart(partId, { content, state, tokens }, order) {
      const update = updatePart(partId, { content: content && encodeContent(content), state, tokens });
      if (!update) return;
      const { rowsAffected } = await write(update, order);
      if (rowsAffected === 0) throw new NotFoundError('part', partId);
    },

    async updateMessage(messageId, { status, finishReason, error, usage }) {
      const update = updateMessage(messageId, {
        status,
        finishReason,
        error: error && storableText(error),
        usage: usage && JSON.stringify(usage),
      });
      if (!update) return;
      const { rowsAffected } = await write(update);
      if (rowsAffected === 0) throw new NotFoundError('message', messageId);
    },
  };
}
