import type { Clock, FaultLog } from '#server/core/process';
import { and, asc, count, desc, eq, gt, lte, max, min, type SQL, sql } from 'drizzle-orm';
import type { EventStore } from '#server/conversation/events/session-events';
import type { TurnEnding } from '#server/core/conversation/turn-store';
import type { Turn } from '#server/core/conversation/turns';
import { NotFoundError } from '#server/core/errors';
import { jsonValueSchema } from '#server/core/json';
import {
  type ContextUsage,
  type SessionEvent,
  type SessionEventData,
  type SessionEventName,
  toQueueItem,
} from '#server/core/conversation/events';
import { errorFields } from '#server/core/message-data';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { readQueue } from '#server/conversation/store/queue-repository';
import { events, sessions } from '#server/platform/database/schema/sessions';
import { turns } from '#server/platform/database/schema/turns';
import { insertSample, thinSamples } from '#server/conversation/store/sessions/context-sample-repository';

/** Minimum number of events kept per session; older ones are deleted periodically. */
export const KEPT_EVENTS = 1_000;
/** Number of new events after which old events of the affected sessions are deleted. */
export const TRIM_EVERY = 100;

const findSessionId = builtOnce((db: StoreReader) =>
  db
    .select({ id: sessions.id })
    .from(sessions)
    .where(isLiveSession(sql.placeholder('sessionId')))
    .prepare(),
);

/** Inserts nothing if the session was deleted. */
const insertEvent = builtOnce((tx: StoreTransaction) => {
  const [sessionId, turnId] = [sql.placeholder('sessionId'), sql.placeholder('turnId')];
  const values = sql`null, ${sessions.id}, ${sql.placeholder('name')}, ${sql.placeholder('data')}, ${sql.placeholder('createdAt')}`;
  const ofTurn = sql`(select its.session_id from ${turns} as its where its.id = ${turnId})`;
  return tx
    .insert(events)
    .select(sql`select ${values} from ${sessions} where ${isLiveSession(sql`coalesce(${sessionId}, ${ofTurn})`)}`)
    .prepare();
});

/** Inserts two events in this order; none if the session was deleted. */
const insertTwoEvents = builtOnce((tx: StoreTransaction) => {
  const [first, second] = ['first', 'second'].map(
    (which, place) =>
      sql`(${sql.raw(String(place))}, ${sql.placeholder(`${which}Name`)}, ${sql.placeholder(`${which}Data`)})`,
  );
  const values = sql`null, ${sessions.id}, told.column2, told.column3, ${sql.placeholder('createdAt')}`;
  return tx
    .insert(events)
    .select(
      sql`select ${values} from ${sessions}, (values ${first!}, ${second!}) as told
        where ${isLiveSession(sql.placeholder('sessionId'))} order by told.column1`,
    )
    .prepare();
});

/**
 * Stores an event in the transaction of what it reports; nothing if the session was deleted.
 * @param of the session, or a turn of it
 * @param otherwise see `StoreTransaction.later`
 */
function addEvent<Name extends SessionEventName>(
  tx: StoreTransaction,
  of: { readonly sessionId: string } | { readonly turnId: string },
  { name, data, createdAt }: { readonly name: Name; readonly data: SessionEventData[Name]; readonly createdAt: number },
  otherwise?: () => Error,
): void {
  const row = { sessionId: null, turnId: null, ...of, name, data: JSON.stringify(data), createdAt };
  tx.later(() => insertEvent(tx).run(row), otherwise);
}

/** Stores the start of a turn in its transaction. */
export function addTurnStart(
  tx: StoreTransaction,
  { id: turnId, sessionId, userMessageId: messageId }: Pick<Turn, 'id' | 'sessionId' | 'userMessageId'>,
  createdAt: number,
): void {
  addEvent(tx, { sessionId }, { name: 'turn:start', data: { turnId, messageId }, createdAt });
}

/** Stores the end of a turn in its transaction, after the last figures of its context. */
export function addTurnEnd(
  tx: StoreTransaction,
  turnId: string,
  { status, error, figures }: TurnEnding,
  createdAt: number,
): void {
  const end: SessionEventData['turn:end'] = { turnId, status, ...errorFields(error) };
  if (!figures) return addEvent(tx, { turnId }, { name: 'turn:end', data: end, createdAt });
  const { sessionId, usage } = figures;
  insertSample(tx, sessionId, turnId, usage, createdAt);
  const told = {
    firstName: 'context:usage' satisfies SessionEventName,
    firstData: JSON.stringify(usage),
    secondName: 'turn:end' satisfies SessionEventName,
    secondData: JSON.stringify(end),
  };
  tx.later(() => insertTwoEvents(tx).run({ sessionId, createdAt, ...told }));
}

/** Events of sessions. An event about the context is also stored as a sample, in the same transaction. */
export function createEventRepository(
  db: Database,
  { now = Date.now, onFault }: Partial<Clock & FaultLog> = {},
): EventStore {
  let untrimmed = new Set<string>();
  let appended = 0;

  async function trim(): Promise<void> {
    const sessionIds = untrimmed;
    untrimmed = new Set();
    appended = 0;
    try {
      await db.write(async (tx) => {
        for (const sessionId of sessionIds) {
          await deleteOld(tx, sessionId);
          await thinSamples(tx, sessionId);
        }
      });
    } catch (error) {
      for (const sessionId of sessionIds) untrimmed.add(sessionId);
      onFault?.('Old events could not be removed', error);
    }
  }

  async function countAppended(sessionId: string): Promise<void> {
    untrimmed.add(sessionId);
    appended += 1;
    if (appended >= TRIM_EVERY) await trim();
  }

  async function newestIdWhere(condition: SQL | undefined): Promise<number> {
    const row = await db.read
      .select({ id: max(events.id) })
      .from(events)
      .where(condition)
      .get();
    return row?.id ?? 0;
  }

  return {
    async append(sessionId, name, data, turnId = null) {
      const createdAt = now();
      // Written from the same type, which the compiler cannot infer.
      const usage = name === 'context:usage' ? (data as ContextUsage) : null;
      const missing = () => new NotFoundError('session', sessionId);
      try {
        await db.write(async (tx) => {
          addEvent(tx, { sessionId }, { name, data, createdAt }, missing);
          if (usage) insertSample(tx, sessionId, turnId, usage, createdAt);
        });
      } catch (error) {
        if (error instanceof NotFoundError) return false;
        throw error;
      }
      await countAppended(sessionId);
      return true;
    },

    noteStored: countAppended,

    async appendQueue(sessionId) {
      const data = await db.write(async (tx) => {
        const [session, items] = await Promise.all([
          tx.select({ held: sessions.queueHeld }).from(sessions).where(isLiveSession(sessionId)).get(),
          readQueue(tx, sessionId),
        ]);
        if (!session) return null;
        const queue = { items: items.map(toQueueItem), held: session.held };
        addEvent(tx, { sessionId }, { name: 'queue:changed', data: queue, createdAt: now() });
        return queue;
      });
      if (data) await countAppended(sessionId);
      return data;
    },

    async after(sessionId, afterId, limit) {
      const [rows, session] = await Promise.all([
        db.read
          .select()
          .from(events)
          .where(and(eq(events.sessionId, sessionId), gt(events.id, afterId)))
          .orderBy(asc(events.id))
          .limit(limit),
        findSessionId(db.read).get({ sessionId }),
      ]);
      if (rows.length > 0) return rows.map(eventFromRow);
      return session ? [] : null;
    },

    async changesAfter(afterId, limit) {
      const rows = await changesQuery(db.read, afterId, limit);
      return rows.map(({ id, ...data }) => ({ id, name: 'session:changed', data }));
    },

    async hasGap(sessionId, afterId) {
      const ofSession = eq(events.sessionId, sessionId);
      const row = await db.read
        .select({ kept: count(), oldest: min(events.id) })
        .from(events)
        .where(ofSession)
        .get();
      // Nothing was deleted from a session with fewer events than are kept.
      return row !== undefined && row.kept >= KEPT_EVENTS && (row.oldest ?? 0) > afterId + 1;
    },

    async newestUsage(sessionId) {
      const row = await db.read
        .select()
        .from(events)
        .where(and(eq(events.sessionId, sessionId), eq(events.name, 'context:usage')))
        .orderBy(desc(events.id))
        .limit(1)
        .get();
      // Written from the same type, which the compiler cannot infer.
      return row ? (eventFromRow(row).data as ContextUsage) : null;
    },

    newestId: (sessionId) => newestIdWhere(eq(events.sessionId, sessionId)),
    newestIdOfAll: () => newestIdWhere(undefined),
  };
}

export function changesQuery(db: StoreReader, afterId: number, limit: number) {
  return db
    .select({ id: events.id, sessionId: events.sessionId, name: sql<SessionEventName>`${events.name}` })
    .from(events)
    .where(gt(events.id, afterId))
    .orderBy(asc(events.id))
    .limit(limit);
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
  // Written from the same type, which the compiler cannot infer.
  return { ...columns, data: parseJsonColumn(jsonValueSchema, data, place) } as unknown as SessionEvent;
}
