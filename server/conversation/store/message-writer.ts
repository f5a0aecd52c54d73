import { and, eq, getTableColumns, gt, inArray, max, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { ChangeWriter, MessageWriter } from '#server/conversation/step/answer-writer';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { NewPart, Part } from '#server/core/conversation/parts';
import type { OwnedTurn } from '#server/core/conversation/turns';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { legacyPartRows } from '#server/conversation/store/legacy-messages';
import { type MessageRow, messagesFromRows } from '#server/conversation/store/message-rows';
import { storableText } from '#server/platform/database/json-column';
import { encodeContent, partFromRow, type PartRow, partToRow } from '#server/conversation/store/part-codec';
import { messageParts, messages, sessions } from '#server/platform/database/schema/sessions';
import { ownerOf, requireRunning, whileRunning } from '#server/conversation/store/turn-rows';

/* The only code that adds messages and parts, and that assigns `seq` and the order of parts. */

/** Fields of a new message that only the store itself sets. */
export interface MessageExtras {
  readonly isSummary?: boolean;
  readonly finishReason?: string;
  /** Set by an unfinished import: the session is not marked as used. */
  readonly supersededBy?: string;
  /** Position of the session's last message, if it was read in this transaction. */
  readonly lastSeq?: number | undefined;
  /** The caller marks the session as used, and knows that it exists. Default false. */
  readonly isMarked?: boolean | undefined;
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
  if (!extras.isMarked) markUsed(tx, sessionId, extras.supersededBy === undefined ? createdAt : null);
  const firstSeq = (extras.lastSeq ?? (await readLastSeq(tx, sessionId))) + 1;
  const rows = newMessages.map((message, index) => ({
    ...messageToRow(message, sessionId, createdAt, extras),
    seq: firstSeq + index,
  }));
  const partRows = rows.flatMap((row, index) =>
    newMessages[index]!.parts.map((part, order) => partToRow(part, { messageId: row.id, sessionId, order, createdAt })),
  );
  const stored = messagesFromRows(rows, partRows);
  insertEach(
    tx,
    rows,
    (row) => insertMessage(tx).run(row),
    (chunk) => tx.insert(messages).values(chunk),
  );
  insertParts(tx, partRows);
  return stored;
}

/**
 * Marks the session as used, unless `usedAt` is null. Fails the write with NotFoundError if it does not exist, or if this
 * turn does not run.
 */
function markUsed(tx: StoreTransaction, sessionId: string, usedAt: number | null, turn?: OwnedTurn): void {
  tx.later(
    () =>
      turn
        ? touchOwnSession(tx).run({ sessionId, usedAt, ...ownerOf(turn) })
        : touchSession(tx).run({ sessionId, usedAt }),
    () => new NotFoundError('session', sessionId),
  );
}

function insertParts(tx: StoreTransaction, rows: readonly PartRow[]): void {
  insertEach(
    tx,
    rows,
    (row) => insertPart(tx).run(row),
    (chunk) => tx.insert(messageParts).values(chunk),
  );
}

/** Rows per INSERT: with 16 columns each, far below SQLite's limit of 32,766 parameters. */
const ROWS_PER_INSERT = 500;

/** Inserts rows, many per statement. */
function insertEach<Row>(
  tx: StoreTransaction,
  rows: readonly Row[],
  insertOne: (row: Row) => PromiseLike<unknown>,
  insertMany: (rows: Row[]) => PromiseLike<unknown>,
): void {
  const [only] = rows;
  if (only && rows.length === 1) tx.later(() => insertOne(only));
  else
    for (let from = 0; from < rows.length; from += ROWS_PER_INSERT)
      tx.later(() => insertMany(rows.slice(from, from + ROWS_PER_INSERT)));
}

/** @param condition in addition */
const touches = (condition?: SQL) =>
  builtOnce((tx: StoreTransaction) =>
    tx
      .update(sessions)
      .set({ updatedAt: sql`coalesce(${sql.placeholder('usedAt')}, ${sessions.updatedAt})` })
      .where(and(isLiveSession(sql.placeholder('sessionId')), condition))
      .prepare(),
  );
const touchSession = touches();
const touchOwnSession = touches(whileRunning);

const insertMessage = builtOnce((tx: StoreTransaction) => tx.insert(messages).values(everyColumn(messages)).prepare());

/** Like `insertMessage`, after the last message of the session. */
const insertLastMessage = builtOnce((tx: StoreTransaction) => {
  const last = sql`select coalesce(max(seq), 0) from messages where session_id = ${sql.placeholder('sessionId')}`;
  return tx
    .insert(messages)
    .values({ ...everyColumn(messages), seq: sql`(${last}) + 1` })
    .prepare();
});

const insertPart = builtOnce((tx: StoreTransaction) =>
  tx.insert(messageParts).values(everyColumn(messageParts)).prepare(),
);

/** Like `insertPart`, after the last part of the message; nothing if it does not exist, or its turn does not run. */
const insertLastPart = builtOnce((tx: StoreTransaction) => {
  const last = sql`select coalesce(max(its."order"), -1) from ${messageParts} as its where its.message_id = ${messages.id}`;
  const values = { ...everyColumn(messageParts), sessionId: messages.sessionId, order: sql`(${last}) + 1` };
  const ofMessage = and(eq(messages.id, sql.placeholder('messageId')), whileRunning);
  return tx
    .insert(messageParts)
    .select(sql`select ${sql.join(Object.values(values), sql`, `)} from ${messages} where ${ofMessage}`)
    .prepare();
});

const findMessage = builtOnce((db: StoreReader) =>
  db
    .select({ id: messages.id, sessionId: messages.sessionId })
    .from(messages)
    .where(eq(messages.id, sql.placeholder('messageId')))
    .prepare(),
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
 * null: nothing to update. With a turn, only while it runs.
 */
function updatesOf(table: typeof messages | typeof messageParts) {
  const build = (names: readonly string[], condition: SQL | undefined) =>
    builtOnce((tx: StoreTransaction) =>
      tx
        .update(table)
        .set(placeholders(names))
        .where(and(eq(table.id, sql.placeholder('rowId')), condition))
        .prepare(),
    );
  const built = new Map<string, ReturnType<typeof build>>();
  return (rowId: string, changes: Readonly<Record<string, unknown>>, turn: OwnedTurn | null) => {
    const names = Object.keys(changes).filter((name) => changes[name] !== undefined);
    // drizzle refuses an empty update.
    if (names.length === 0) return null;
    const key = `${turn !== null} ${names.join()}`;
    const update = built.get(key) ?? build(names, turn ? whileRunning : undefined);
    built.set(key, update);
    const owner = turn ? ownerOf(turn) : {};
    return (tx: StoreTransaction) => update(tx).run({ ...changes, rowId, ...owner });
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

/** Position of the session's last message; 0 without messages. */
async function readLastSeq(tx: StoreTransaction, sessionId: string): Promise<number> {
  const last = await findLastSeq(tx).get({ sessionId });
  return last?.seq ?? 0;
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
    errorMessage: message.errorMessage ? JSON.stringify(message.errorMessage) : null,
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
  insertParts(tx, rows);
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
  insertParts(tx, partRows);
}

/**
 * The writes to stored messages and parts, each in a separate transaction.
 * @param turn writes only while it runs; null: independently of turns
 */
function createChangeWriter(write: Database['write'], turn: OwnedTurn | null): ChangeWriter {
  return {
    async updatePart(partId, { content, state, tokens }, order) {
      const update = updatePart(partId, { content: content && encodeContent(content), state, tokens }, turn);
      if (!update) return;
      const missing = () => new NotFoundError('part', partId);
      await write(async (tx) => tx.later(() => update(tx), missing), order);
    },

    async updateMessage(messageId, { status, finishReason, error, errorMessage, usage }) {
      const stored = {
        error: error && storableText(error),
        errorMessage: errorMessage && JSON.stringify(errorMessage),
        usage: usage && JSON.stringify(usage),
      };
      const update = updateMessage(messageId, { status, finishReason, ...stored }, turn);
      if (!update) return;
      const missing = () => new NotFoundError('message', messageId);
      await write(async (tx) => tx.later(() => update(tx), missing));
    },
  };
}

/** A writer that also returns the positions of what it has stored. */
export interface PositionedWriter extends MessageWriter {
  append(sessionId: string, message: NewMessage, order?: 'ahead'): Promise<Message>;
  addPart(messageId: string, part: NewPart): Promise<Part>;
}

/**
 * Writes to a conversation, each in a separate transaction.
 * @param write runs the work in one transaction; it may refuse
 */
export function createMessageWriter(write: Database['write'], now: () => number): PositionedWriter {
  return {
    ...createChangeWriter(write, null),
    append: async (sessionId, message, order) =>
      (await write((tx) => insertMessages(tx, sessionId, [message], now()), order))[0]!,

    addPart: (messageId, part) =>
      write(async (tx) => {
        const message = await findMessage(tx).get({ messageId });
        if (!message) throw new NotFoundError('message', messageId);
        return (await appendParts(tx, message, [part], now()))[0]!;
      }),
  };
}

/**
 * Writes for a running turn. Their statements need no result, so that each write is one request to a database server, and
 * they contain the condition that the turn still runs under this owner. A write that has found nothing to change looks
 * for the reason.
 */
export function createTurnWriter(db: Database, turn: OwnedTurn, now: () => number): MessageWriter {
  const write: Database['write'] = async (work, order) => {
    try {
      return await db.write(work, order);
    } catch (error) {
      if (error instanceof NotFoundError) await db.write(async (tx) => requireRunning(tx, turn), order);
      throw error;
    }
  };
  return {
    ...createChangeWriter(write, turn),
    append: (sessionId, message, order) =>
      write(async (tx) => {
        const createdAt = now();
        markUsed(tx, sessionId, createdAt, turn);
        const row = messageToRow(message, sessionId, createdAt, {});
        const partRows = message.parts.map((part, index) =>
          partToRow(part, { messageId: row.id, sessionId, order: index, createdAt }),
        );
        tx.later(() => insertLastMessage(tx).run(row));
        insertParts(tx, partRows);
        return { id: row.id, parts: partRows.map(partFromRow) };
      }, order),

    addPart: (messageId, part) =>
      write(async (tx) => {
        // The query computes the session and the order.
        const row = partToRow(part, { messageId, sessionId: '', order: 0, createdAt: now() });
        tx.later(
          () => insertLastPart(tx).run({ ...row, ...ownerOf(turn) }),
          () => new NotFoundError('message', messageId),
        );
        return { id: row.id };
      }),
  };
}
