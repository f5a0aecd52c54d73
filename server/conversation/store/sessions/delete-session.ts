import { and, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { yieldToEventLoop } from '#server/core/async';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { acceptedRequests, approvals, queuedMessages, turns } from '#server/platform/database/schema/turns';
import {
  blobs,
  compactions,
  contextSamples,
  events,
  keptWishes,
  messageParts,
  messages,
  sessions,
} from '#server/platform/database/schema/sessions';

/* Deletes sessions: one transaction hides a session, and from then on no query finds it. Its content is deleted in
   batches, so that other reads and writes can run in between. If the process ends in between, the hidden session
   remains; the rest is deleted when a server starts or the next session is deleted. */

/**
 * Maximum rows and approximate maximum bytes of one deleting transaction, which deletes at least one row. Choices, not
 * measured: one transaction should last a few milliseconds, because other writes wait for it.
 */
const ROWS_AT_ONCE = 250;
const BYTES_AT_ONCE = 500_000;

/** Condition of a query: the session with this id, unless it is hidden because it is being deleted. */
export function isLiveSession(id: string | Placeholder | SQL): SQL | undefined {
  return and(eq(sessions.id, id), isNull(sessions.deletedAt));
}

/**
 * Hides a session before it is deleted: deletes its queued messages, its pending approvals and its
 * running turn, so that nothing continues.
 * @returns false if the session does not exist
 */
export async function hideSession(tx: StoreTransaction, id: string, deletedAt: number): Promise<boolean> {
  const { rowsAffected } = await tx.update(sessions).set({ deletedAt }).where(isLiveSession(id)).run();
  if (rowsAffected === 0) return false;
  await tx.delete(queuedMessages).where(eq(queuedMessages.sessionId, id));
  await tx.delete(approvals).where(and(eq(approvals.sessionId, id), eq(approvals.status, 'pending')));
  await tx.delete(turns).where(and(eq(turns.sessionId, id), eq(turns.status, 'running')));
  return true;
}

/**
 * Deletes the content of hidden sessions, then the sessions. Several processes may do so simultaneously.
 * @param signal stops it between two batches
 */
export async function deleteHidden(db: Database, signal?: AbortSignal): Promise<void> {
  const hidden = await db.read.select({ id: sessions.id }).from(sessions).where(isNotNull(sessions.deletedAt));
  for (const { id } of hidden) {
    for (const piece of piecesOf(id)) await deleteInPieces(db, piece, signal);
    if (signal?.aborted) return;
    await db.write((tx) => tx.delete(sessions).where(eq(sessions.id, id)));
  }
}

/** Rows of one table to delete, in as many transactions as needed. */
interface RowsToDelete {
  readonly table: SQLiteTable;
  readonly where: SQL | undefined;
  /** Size of one row in bytes. Default: 0, so that only the number of rows limits a transaction. */
  readonly bytes?: SQL;
}

/** Deletes any number of rows in several transactions, so that other work can run in between. */
export async function deleteInPieces(db: Database, { table, where, bytes }: RowsToDelete, signal?: AbortSignal) {
  const size = bytes ?? sql`0`;
  const found = sql`select rowid as id, ${size} as bytes from ${table} where ${where} limit ${ROWS_AT_ONCE}`;
  const summed = sql`select id, sum(bytes) over (order by id) - bytes as before from (${found})`;
  const piece = sql`rowid in (select id from (${summed}) where before < ${BYTES_AT_ONCE})`;
  for (;;) {
    if (signal?.aborted) return;
    const { rowsAffected } = await db.write((tx) => tx.delete(table).where(piece).run());
    if (rowsAffected === 0) return;
    await yieldToEventLoop();
  }
}

/**
 * All rows of a session, referencing rows before the rows that they reference. A new table with a `sessionId` and many
 * or large rows must be added; small ones may be left to the cascade that deletes them with their session.
 */
function piecesOf(id: string): RowsToDelete[] {
  return [
    ...[compactions, approvals].map((table) => ({ table, where: eq(table.sessionId, id) })),
    { table: messageParts, where: eq(messageParts.sessionId, id), bytes: sql`octet_length(${messageParts.content})` },
    { table: messages, where: eq(messages.sessionId, id), bytes: sql`coalesce(octet_length(${messages.content}), 0)` },
    { table: blobs, where: eq(blobs.sessionId, id), bytes: sql`${blobs.size}` },
    ...[turns, events, contextSamples, keptWishes, acceptedRequests].map((table) => ({
      table,
      where: eq(table.sessionId, id),
    })),
  ];
}
