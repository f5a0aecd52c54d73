import { and, count, eq } from 'drizzle-orm';
import type { StoreReader } from '#server/store/database';
import { sessions, turns } from '#server/store/schema';

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
