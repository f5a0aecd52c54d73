import { queueFull } from '#server/core/messages/coded-errors';
import { and, asc, count, eq, inArray, isNull, max, min, or, sql } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { BeginOutcome, QueuedMessage, TurnRequest } from '#server/core/conversation/turns';
import type { NewPart } from '#server/core/conversation/parts';
import { commonScopes } from '#server/core/admin/access-rights';
import type { QueueSender, QueueStore } from '#server/core/conversation/turn-store';
import { lapsedKeys } from '#server/platform/auth/store/api-key-repository';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { newPartsSchema } from '#server/conversation/store/part-codec';
import { sessions } from '#server/platform/database/schema/sessions';
import { queuedMessages, turns } from '#server/platform/database/schema/turns';

/** `now` returns epoch milliseconds. */
export function createQueueRepository(db: Database, now: () => number): QueueStore {
  return {
    async queue(sessionId) {
      const [session, items] = await Promise.all([
        db.read.select({ held: sessions.queueHeld }).from(sessions).where(eq(sessions.id, sessionId)).get(),
        readQueue(db.read, sessionId),
      ]);
      return { items, held: session?.held ?? false };
    },

    hasQueue: async (sessionId) => (await findQueued(db.read).get({ sessionId })) !== undefined,

    async queued(id) {
      const row = await db.read.select().from(queuedMessages).where(eq(queuedMessages.id, id)).get();
      return queuedMessageFromRow(row ?? waitsNoLonger(id));
    },

    editQueued: (id, parts, editor) =>
      db.write(async (tx) => {
        const former = await tx.select().from(queuedMessages).where(eq(queuedMessages.id, id)).get();
        const { parts: formerParts, scopes } = queuedMessageFromRow(former ?? waitsNoLonger(id));
        // Keeps all other parts, such as the environment context and selected text.
        const kept = formerParts.filter((part) => part.type !== 'text' && !(isFile(part) && parts.some(isFile)));
        const changes = {
          parts: JSON.stringify([...parts, ...kept]),
          scopes: commonScopes(scopes, editor.scopes),
          keyId: editor.keyId,
          heldReason: null,
        };
        const row = await tx.update(queuedMessages).set(changes).where(eq(queuedMessages.id, id)).returning().get();
        return queuedMessageFromRow(row ?? waitsNoLonger(id));
      }),

    removeQueued: (id) =>
      db.write(async (tx) => {
        const row = await tx.delete(queuedMessages).where(eq(queuedMessages.id, id)).returning().get();
        return queuedMessageFromRow(row ?? waitsNoLonger(id));
      }),

    clearQueue: (sessionId) =>
      db.write(async (tx) => {
        const ofSession = eq(queuedMessages.sessionId, sessionId);
        return (await tx.delete(queuedMessages).where(ofSession).run()).rowsAffected;
      }),

    sendNext: (id, sender) =>
      db.write(async (tx) => {
        const row =
          (await tx.select().from(queuedMessages).where(eq(queuedMessages.id, id)).get()) ?? waitsNoLonger(id);
        const lowest = await tx
          .select({ rank: min(queuedMessages.rank) })
          .from(queuedMessages)
          .where(eq(queuedMessages.sessionId, row.sessionId))
          .get();
        const rank = (lowest?.rank ?? 0) - 1;
        const first = { rank, isReleased: true, startsTurn: false };
        await tx.update(queuedMessages).set(first).where(eq(queuedMessages.id, id));
        const item = queuedMessageFromRow(row);
        await takeOverHeld(tx, [item], sender, now());
        return item;
      }),
  };
}

function isFile({ type }: NewPart): boolean {
  return type === 'file';
}

function waitsNoLonger(id: string): never {
  throw new NotFoundError('waiting message', id);
}

/** Maximum number of queued messages of a session. */
export const MAX_QUEUED = 100;

const findWaiting = builtOnce((db: StoreReader) =>
  db
    .select()
    .from(queuedMessages)
    .where(
      and(
        eq(queuedMessages.sessionId, sql.placeholder('sessionId')),
        or(eq(queuedMessages.isReleased, true), sql`not ${sql.placeholder('isHeld')}`),
      ),
    )
    .orderBy(asc(queuedMessages.rank), asc(queuedMessages.id))
    .prepare(),
);

const findQueued = builtOnce((db: StoreReader) =>
  db
    .select({ id: queuedMessages.id })
    .from(queuedMessages)
    .where(eq(queuedMessages.sessionId, sql.placeholder('sessionId')))
    .limit(1)
    .prepare(),
);

/**
 * Reads the queued messages of a session, in the order in which they will be sent.
 * @param isHeld the queue is held: reads only the messages that the user has released
 */
export async function readQueue(reader: StoreReader, sessionId: string, isHeld = false): Promise<QueuedMessage[]> {
  const rows = await findWaiting(reader).all({ sessionId, isHeld });
  return rows.map(queuedMessageFromRow);
}

/**
 * Reads the queued messages that may be sent now. Leaves out those whose API key was revoked or has expired, which a
 * person must send.
 * @param isHeld the queue is held: reads only the messages that the user has released
 */
export async function readSendable(
  tx: StoreTransaction,
  sessionId: string,
  now: number,
  isHeld = false,
): Promise<QueuedMessage[]> {
  const items = await readQueue(tx, sessionId, isHeld);
  const held = await heldAlone(tx, items, now);
  return items.filter((item) => !held.includes(item));
}

/**
 * Makes the person who sends or edits held messages their sender. They keep only scopes that both senders have.
 */
export async function takeOverHeld(
  tx: StoreTransaction,
  items: readonly QueuedMessage[],
  { scopes, keyId }: QueueSender,
  now: number,
): Promise<void> {
  for (const item of await heldAlone(tx, items, now)) {
    const changes = { keyId, heldReason: null, scopes: commonScopes(item.scopes, scopes) };
    tx.later(() => tx.update(queuedMessages).set(changes).where(eq(queuedMessages.id, item.id)));
  }
}

async function heldAlone(tx: StoreTransaction, items: readonly QueuedMessage[], now: number): Promise<QueuedMessage[]> {
  const lapsed = await lapsedKeys(
    tx,
    items.map(({ keyId }) => keyId),
    now,
  );
  return items.filter(({ heldReason, keyId }) => heldReason !== null || lapsed.has(keyId));
}

/** The message's position in the queue, from 1; null if it is no longer queued. */
export async function findPosition(reader: StoreReader, sessionId: string, id: string): Promise<number | null> {
  const own = reader
    .select({ rank: queuedMessages.rank, id: queuedMessages.id })
    .from(queuedMessages)
    .where(eq(queuedMessages.id, id));
  const row = await reader
    .select({ position: count() })
    .from(queuedMessages)
    .where(and(eq(queuedMessages.sessionId, sessionId), sql`(${queuedMessages.rank}, ${queuedMessages.id}) <= ${own}`))
    .get();
  return row?.position || null;
}

/**
 * Appends the request's message to its session's queue.
 *
 * @throws QueueFullError
 */
export async function enqueue(
  tx: StoreTransaction,
  { sessionId, message, modelId, approvalPolicy = 'ask', scopes, keyId = null, startsTurn = false }: TurnRequest,
  createdAt: number,
): Promise<Extract<BeginOutcome, { kind: 'queued' }>> {
  const waiting = await tx
    .select({ count: count(), lastRank: max(queuedMessages.rank) })
    .from(queuedMessages)
    .where(eq(queuedMessages.sessionId, sessionId))
    .get();
  const position = (waiting?.count ?? 0) + 1;
  if (position > MAX_QUEUED) throw queueFull(MAX_QUEUED);
  const values = {
    id: createId('que'),
    sessionId,
    parts: JSON.stringify(message.parts),
    modelId,
    approvalPolicy,
    scopes,
    keyId,
    startsTurn,
    rank: (waiting?.lastRank ?? 0) + 1,
    createdAt,
  };
  const row = await tx.insert(queuedMessages).values(values).returning().get();
  return { kind: 'queued', item: queuedMessageFromRow(row), position };
}

/** Revokes the user's releases of messages in a held queue. @returns number of queued messages */
export async function withdrawReleases(tx: StoreTransaction, sessionId: string): Promise<number> {
  const ofSession = eq(queuedMessages.sessionId, sessionId);
  return (await tx.update(queuedMessages).set({ isReleased: false }).where(ofSession).run()).rowsAffected;
}

/** Removes messages from the queue when they are part of the session. */
export function dequeue(tx: StoreTransaction, items: readonly QueuedMessage[]): string[] {
  const ids = items.map(({ id }) => id);
  if (ids.length > 0) tx.later(() => tx.delete(queuedMessages).where(inArray(queuedMessages.id, ids)));
  return ids;
}

/** @throws CorruptRowError if the stored parts cannot be read. */
function queuedMessageFromRow(row: typeof queuedMessages.$inferSelect): QueuedMessage {
  const { parts, rank: _rank, isReleased: _isReleased, ...columns } = row;
  return { ...columns, parts: parseJsonColumn(newPartsSchema, parts, { table: 'queued_messages', id: row.id }) };
}

/** Holds the queue after a turn that a budget ended, until a person sends the messages. */
export function holdQueueBehind(tx: StoreTransaction, turnId: string): void {
  const session = tx.select({ id: turns.sessionId }).from(turns).where(eq(turns.id, turnId));
  tx.later(() =>
    tx
      .update(queuedMessages)
      .set({ heldReason: 'budget-reached', isReleased: false })
      .where(and(inArray(queuedMessages.sessionId, session), isNull(queuedMessages.heldReason))),
  );
}
