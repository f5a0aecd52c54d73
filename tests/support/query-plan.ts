import { type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '#server/platform/database/database';

/** How SQLite carries out a query: its steps in order, the indexes that they use. */
export async function queryPlan(db: Pick<Database, 'read'>, query: SQLWrapper): Promise<string[]> {
  const rows = await db.read.all<{ detail: string }>(sql`explain query plan ${query.getSQL()}`);
  return rows.map(({ detail }) => detail);
}
