import { and, asc, desc, eq, gt, lte, max } from 'drizzle-orm';
import { jsonValueSchema } from '#server/core/json';
import type { SessionEvent, SessionEventData, SessionEventName } from '#server/core/events';
import type { Database, StoreTransaction } from '#server/store/database';
import { parseJsonColumn } from '#server/store/json-column';
import { events, sessions } from '#server/store/schema';

/** How many events of a session are kept at least; older ones go once in a while. */
export const KEPT_EVENTS = 1_000;
/** After this many new events, the sessions that had some lose those that are too old. */
export const TRIM_EVERY = 100;

/** What happened in sessions, in order, for clients that follow them. */
export interface EventRepository {
  /** @returns the event's id, greater than all before it; null when the session is gone, and nothing is stored */
  append<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
  ): Promise<number | null>;
  /** At most `limit` events that are newer than `afterId`, the oldest first; null when the session is gone. */
  after(sessionId: string, afterId: number, limit: number): Promise<SessionEvent[] | null>;
  /** 0 when there is none. */
  newestId(sessionId: string): Promise<number>;
}

export interface EventRepositoryOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Told when old events could not be removed, which is tried again later. */
  readonly onFault?: (message: string, error: unknown) => void;
}

export function createEventRepository(
  db: Database,
  { now = Date.now, onFault }: EventRepositoryOptions = {},
): EventRepository {
  let untrimmed = new Set<string>();
  let appended = 0;

  async function trim(): Promise<void> {
    const sessionIds = untrimmed;
    untrimmed = new Set();
    appended = 0;
    try {
      await db.write(async (tx) => {
        for (const sessionId of sessionIds) await deleteOld(tx, sessionId);
      });
    } catch (error) {
      for (const sessionId of sessionIds) untrimmed.add(sessionId);
      onFault?.('Old events could not be removed', error);
    }
  }

  return {
    async append(sessionId, name, data) {
      const row = { sessionId, name, data: JSON.stringify(data), createdAt: now() };
      const id = await db.write(async (tx) => {
        const session = await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, sessionId)).get();
        return session ? (await tx.insert(events).values(row).returning({ id: events.id }).get()).id : null;
      });
      if (id === null) return null;
      untrimmed.add(sessionId);
      appended += 1;
      if (appended >= TRIM_EVERY) await trim();
      return id;
    },

    async after(sessionId, afterId, limit) {
      const rows = await db.read
        .select()
        .from(events)
        .where(and(eq(events.sessionId, sessionId), gt(events.id, afterId)))
        .orderBy(asc(events.id))
        .limit(limit);
      if (rows.length > 0) return rows.map(eventFromRow);
      const session = await db.read.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, sessionId)).get();
      return session ? [] : null;
    },

    async newestId(sessionId) {
      const row = await db.read
        .select({ id: max(events.id) })
        .from(events)
        .where(eq(events.sessionId, sessionId))
        .get();
      return row?.id ?? 0;
    },
  };
}

async function deleteOld(tx: StoreTransaction, sessionId: string): Promise<void> {
  const ofSession = eq(events.sessionId, sessionId);
  const newestTooOld = await tx
    .select({ id: events.id })
    .from(events)
    .where(ofSession)
    .orderBy(desc(events.id))
    .limit(1)
    .offset(KEPT_EVENTS)
    .get();
  if (newestTooOld) await tx.delete(events).where(and(ofSession, lte(events.id, newestTooOld.id)));
}

function eventFromRow({ data, ...columns }: typeof events.$inferSelect): SessionEvent {
  const place = { table: 'events', id: String(columns.id) };
  // Written from the same type, which the compiler cannot follow.
  return { ...columns, data: parseJsonColumn(jsonValueSchema, data, place) } as unknown as SessionEvent;
}
