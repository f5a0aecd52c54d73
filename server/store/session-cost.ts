import { type SQLWrapper, and, eq, isNotNull, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { isNotStaged } from '#server/store/append-conversation';
import type { Database, StoreReader } from '#server/store/database';
import { compactions, messages } from '#server/store/schema';

/** US dollars that a session's steps and summaries cost, as their providers reported it; null where none did. */
export type SessionCost = (sessionId: string) => Promise<number | null>;

/** Summed by the database, from one index range of each table. */
export function createSessionCost(db: Database): SessionCost {
  return async (sessionId) => {
    const row = await costQuery(db.read, sessionId).get();
    return row?.total ?? null;
  };
}

/** @param sessionId also a column of a query around it */
export function costQuery(db: Pick<StoreReader, 'select'>, sessionId: string | SQLWrapper) {
  const ofTable = (table: typeof messages | typeof compactions) =>
    db
      .select({ cost: sql<number | null>`json_extract(${table.usage}, '$.cost')`.as('cost') })
      .from(table)
      .where(and(eq(table.sessionId, sessionId), isNotNull(table.usage), table === messages ? isNotStaged : undefined));
  const all = unionAll(ofTable(messages), ofTable(compactions)).as('all_costs');
  return db.select({ total: sql<number | null>`sum(${all.cost})`.as('total') }).from(all);
}
