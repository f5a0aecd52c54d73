import { and, eq, isNotNull, isNull, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { letOthersThrough } from '#server/core/async';
import type { Database, StoreTransaction } from '#server/store/database';
import { acceptedRequests, approvals, queuedMessages, turns } from '#server/store/schema/turns';
import {
  blobs,
  compactions,
  contextSamples,
  events,
  keptWishes,
  messageParts,
  messages,
  sessions,
} from '#server/store/schema/sessions';

/*
 * Deleting a session: it is hidden in one transaction, and from then on nobody finds it. What it holds is deleted in
 * pieces, between which others read and write. A process that ends in the middle leaves a hidden session, whose rest
 * goes when a server starts or the next session is deleted.
 */

/** Bounds of one deleting transaction: so many rows, and about so many bytes, but one row at least. */
const ROWS_AT_ONCE = 250;
const BYTES_AT_ONCE = 500_000;

/** The session, unless it is being deleted. */
export function isSession(id: string | Placeholder): SQL | undefined {
  return and(eq(sessions.id, id), isNull(sessions.deletedAt));
}

/**
 * Hides a session before it is deleted: its waiting messages are dropped and its running turn is lost.
 * @returns false when there is no such session
 */
export async function hideSession(tx: StoreTransaction, id: string, deletedAt: number): Promise<boolean> {
  const { rowsAffected } = await tx.update(sessions).set({ deletedAt }).where(isSession(id)).run();
  if (rowsAffected === 0) return false;
  await tx.delete(queuedMessages).where(eq(queuedMessages.sessionId, id));
  await tx.delete(approvals).where(and(eq(approvals.sessionId, id), eq(approvals.status, 'pending')));
  await tx.delete(turns).where(and(eq(turns.sessionId, id), eq(turns.status, 'running')));
  return true;
}

/** Deletes what hidden sessions hold, and them. Several may do so at once. @param signal ends it between two pieces */
export async function deleteHidden(db: Database, signal?: AbortSignal): Promise<void> {
  const hidden = await db.read.select({ id: sessions.id }).from(sessions).where(isNotNull(sessions.deletedAt));
  for (const { id } of hidden) {
    for (const piece of piecesOf(id)) await deleteInPieces(db, piece, signal);
    if (signal?.aborted) return;
    await db.write((tx) => tx.delete(sessions).where(eq(sessions.id, id)));
  }
}

/** Rows of a table that go together. */
interface Doomed {
  readonly table: SQLiteTable;
  readonly where: SQL | undefined;
  /** Bytes of one of its rows. Default: few. */
  readonly bytes?: SQL;
}

/** Deletes rows, however many, in transactions between which others have their turn. */
export async function deleteInPieces(db: Database, { table, where, bytes }: Doomed, signal?: AbortSignal) {
  const size = bytes ?? sql`0`;
  const found = sql`select rowid as id, ${size} as bytes from ${table} where ${where} limit ${ROWS_AT_ONCE}`;
  const summed = sql`select id, sum(bytes) over (order by id) - bytes as before from (${found})`;
  const piece = sql`rowid in (select id from (${summed}) where before < ${BYTES_AT_ONCE})`;
  for (;;) {
    if (signal?.aborted) return;
    const { rowsAffected } = await db.write((tx) => tx.delete(table).where(piece).run());
    if (rowsAffected === 0) return;
    await letOthersThrough();
  }
}

/** Everything that belongs to a session, what names others before what it names. */
function piecesOf(id: string): Doomed[] {
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
