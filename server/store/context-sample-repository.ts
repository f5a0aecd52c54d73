import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import type { ContextBreakdown, ContextUsage } from '#server/core/events';
import type { Database, StoreTransaction } from '#server/store/database';
import { parseJsonColumn } from '#server/store/part-codec';
import { contextSamples } from '#server/store/schema/sessions';
import { z } from 'zod';
import type { ContextSample } from '#server/core/context-report';

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
export async function insertSample(
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
