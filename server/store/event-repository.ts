import { and, asc, count, desc, eq, gt, inArray, lte, max, type SQL, sql } from 'drizzle-orm';
import type { EventStore } from '#server/agent/session-events';
import { jsonValueSchema } from '#server/core/json';
import type { ContextBreakdown, ContextUsage, QueueItem, SessionEvent, SessionEventName } from '#server/core/events';
import { fileNames, writtenText } from '#server/core/part-text';
import type { QueuedMessage } from '#server/core/messages';
import type { Database, StoreReader, StoreTransaction } from '#server/store/database';
import { isSession } from '#server/store/delete-session';
import { parseJsonColumn } from '#server/store/part-codec';
import { readQueue } from '#server/store/queue-repository';
import { contextSamples, events, sessions } from '#server/store/schema/sessions';
import { z } from 'zod';
import type { ContextSample } from '#server/core/context-report';

/** Minimum number of events kept per session; older ones go once in a while. */
export const KEPT_EVENTS = 1_000;
/** After this many new events, the sessions that had some lose those that are too old. */
export const TRIM_EVERY = 100;

export interface EventRepositoryOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Told when old events could not be removed, which is tried again later. */
  readonly onFault?: (message: string, error: unknown) => void;
}

/** Events of sessions. One about a context is kept as a sample, too, in the same transaction. */
export function createEventRepository(
  db: Database,
  { now = Date.now, onFault }: EventRepositoryOptions = {},
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
      const row = { sessionId, name, data: JSON.stringify(data), createdAt: now() };
      // Written by the same type, which the compiler cannot follow.
      const usage = name === 'context:usage' ? (data as ContextUsage) : null;
      const id = await db.write(async (tx) => {
        const session = await tx.select({ id: sessions.id }).from(sessions).where(isSession(sessionId)).get();
        if (!session) return null;
        if (usage) await insertSample(tx, sessionId, turnId, usage, row.createdAt);
        return (await tx.insert(events).values(row).returning({ id: events.id }).get()).id;
      });
      if (id !== null) await countAppended(sessionId);
      return id;
    },

    async appendQueue(sessionId) {
      const row = { sessionId, name: 'queue:changed', createdAt: now() };
      const data = await db.write(async (tx) => {
        const session = await tx.select({ held: sessions.queueHeld }).from(sessions).where(isSession(sessionId)).get();
        if (!session) return null;
        const queue = { items: (await readQueue(tx, sessionId)).map(queueItem), held: session.held };
        await tx.insert(events).values({ ...row, data: JSON.stringify(queue) });
        return queue;
      });
      if (data) await countAppended(sessionId);
      return data;
    },

    async after(sessionId, afterId, limit) {
      const rows = await db.read
        .select()
        .from(events)
        .where(and(eq(events.sessionId, sessionId), gt(events.id, afterId)))
        .orderBy(asc(events.id))
        .limit(limit);
      if (rows.length > 0) return rows.map(eventFromRow);
      const session = await db.read.select({ id: sessions.id }).from(sessions).where(isSession(sessionId)).get();
      return session ? [] : null;
    },

    async changesAfter(afterId, limit) {
      const rows = await changesQuery(db.read, afterId, limit);
      return rows.map(({ id, ...data }) => ({ id, name: 'session:changed', data }));
    },

    newestId: (sessionId) => newestIdWhere(eq(events.sessionId, sessionId)),
    newestIdOfAll: () => newestIdWhere(undefined),
  };
}

export function changesQuery(db: Pick<StoreReader, 'select'>, afterId: number, limit: number) {
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

/** A waiting message as clients see it. */
function queueItem({ id, parts, createdAt, heldReason }: QueuedMessage): QueueItem {
  return { id, text: writtenText(parts), files: fileNames(parts), createdAt, heldReason };
}

function eventFromRow({ data, ...columns }: typeof events.$inferSelect): SessionEvent {
  const place = { table: 'events', id: String(columns.id) };
  // Written from the same type, which the compiler cannot follow.
  return { ...columns, data: parseJsonColumn(jsonValueSchema, data, place) } as unknown as SessionEvent;
}

/** A session with more samples than this has its older half thinned out. */
export const MOST_SAMPLES = 1_000;

/**
 * Samples of how full contexts were, step by step, written with the events that tell the same (see event-repository).
 */
interface ContextSampleRepository {
  /** Oldest first: the newest 500 whole, older ones the sparser the older they are, the very first always. */
  list(sessionId: string): Promise<ContextSample[]>;
}

export function createContextSampleRepository(db: Database): ContextSampleRepository {
  return {
    async list(sessionId) {
      const rows = await db.read
        .select()
        .from(contextSamples)
        .where(eq(contextSamples.sessionId, sessionId))
        .orderBy(asc(contextSamples.id));
      return rows.map(sampleFromRow);
    },
  };
}

/** Stores a sample, unless the session's newest one says the same of the same turn. One statement. */
async function insertSample(
  tx: StoreTransaction,
  sessionId: string,
  turnId: string | null,
  usage: ContextUsage,
  createdAt: number,
): Promise<void> {
  const { modelId, contextWindow, usableTokens, currentTokens, source } = usage;
  const breakdown = JSON.stringify(usage.breakdown);
  const s = contextSamples;
  await tx.run(sql`
    insert into ${s} (session_id, turn_id, model_id, context_window, usable_tokens, current_tokens, source, breakdown, created_at)
    select ${sessionId}, ${turnId}, ${modelId}, ${contextWindow}, ${usableTokens}, ${currentTokens}, ${source}, ${breakdown}, ${createdAt}
    where not exists (
      select 1 from ${s}
      where ${s.id} = (select max(newest.id) from ${s} newest where newest.session_id = ${sessionId})
        and ${s.turnId} is ${turnId} and ${s.modelId} = ${modelId} and ${s.currentTokens} = ${currentTokens}
        and ${s.usableTokens} = ${usableTokens} and ${s.breakdown} = ${breakdown}
    )`);
}

/**
 * Keeps a session's samples bounded and its chart whole: where there are more than `MOST_SAMPLES`, every second one of
 * the older half goes. What has been thinned often is sparse, the newest half is complete, and the first one stays.
 */
export async function thinSamples(tx: StoreTransaction, sessionId: string): Promise<void> {
  const ofSession = eq(contextSamples.sessionId, sessionId);
  for (;;) {
    const row = await tx.select({ samples: count() }).from(contextSamples).where(ofSession).get();
    const samples = row?.samples ?? 0;
    if (samples <= MOST_SAMPLES) return;
    const older = tx
      .select({
        id: contextSamples.id,
        position: sql<number>`row_number() over (order by ${contextSamples.id})`.as('position'),
      })
      .from(contextSamples)
      .where(ofSession)
      .orderBy(asc(contextSamples.id))
      .limit(samples - MOST_SAMPLES / 2)
      .as('older');
    const everySecond = tx
      .select({ id: older.id })
      .from(older)
      .where(sql`${older.position} % 2 = 0`);
    await tx.delete(contextSamples).where(and(ofSession, inArray(contextSamples.id, everySecond)));
  }
}

const tokens = z.number();
const breakdownSchema: z.ZodType<ContextBreakdown> = z.object({
  instructions: tokens,
  tools: tokens,
  user: tokens,
  assistant: tokens,
  reasoning: tokens,
  toolCalls: tokens,
  toolResults: tokens,
  media: tokens,
  summary: tokens,
  /** Not told of at first. */
  situation: tokens.default(0),
});

function sampleFromRow({ sessionId: _, breakdown, ...columns }: typeof contextSamples.$inferSelect): ContextSample {
  const place = { table: 'context_samples', id: String(columns.id) };
  return { ...columns, breakdown: parseJsonColumn(breakdownSchema, breakdown, place) };
}
