import { and, count, eq, sql } from 'drizzle-orm';
import type { StoreReader } from '#server/store/database';
import { queuedMessages, sessions, turns } from '#server/store/schema';

/** How many turns of the user run, in all of his sessions and all processes. */
export async function countRunningTurns(db: Pick<StoreReader, 'select'>, userId: string): Promise<number> {
  const row = await db
    .select({ running: count() })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(and(eq(turns.status, 'running'), eq(sessions.ownerId, userId)))
    .get();
  return row?.running ?? 0;
}

/** How many messages wait, in all sessions. */
export function countQueuedMessages(db: Pick<StoreReader, '$count'>): Promise<number> {
  return Promise.resolve(db.$count(queuedMessages));
}

/** Bytes of the database, its free pages included. */
export async function databaseSize(db: Pick<StoreReader, 'get'>): Promise<number> {
  const row = await db.get<{ bytes: number }>(
    sql`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`,
  );
  return row.bytes;
}
