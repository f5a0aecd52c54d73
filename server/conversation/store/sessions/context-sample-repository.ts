import { and, asc, count, eq, inArray, sql } from 'drizzle-orm';
import type { ContextBreakdown, ContextUsage } from '#server/core/conversation/events';
import type { Database, StoreTransaction } from '#server/platform/database/database';
import { parseJsonColumn } from '#server/platform/database/json-column';
import { contextSamples } from '#server/platform/database/schema/sessions';
import { z } from 'zod';
import type { ContextSample } from '#server/core/conversation/context-report';

/** Above this number, the older half of a session's samples is thinned out. */
export const MOST_SAMPLES = 1_000;

/** Samples of the used context for each step, written together with the corresponding events (see event-repository). */
interface ContextSampleRepository {
  /** Oldest first: the newest 500 completely, older ones at decreasing density, always including the first. */
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

/** Stores a sample, unless the session's newest one has the same values for the same turn. One statement. */
export function insertSample(
  tx: StoreTransaction,
  sessionId: string,
  turnId: string | null,
  usage: ContextUsage,
  createdAt: number,
): void {
  const { modelId, contextWindow, usableTokens, currentTokens, source } = usage;
  const breakdown = JSON.stringify(usage.breakdown);
  const s = contextSamples;
  tx.later(() =>
    tx.run(sql`
    insert into ${s} (session_id, turn_id, model_id, context_window, usable_tokens, current_tokens, source, breakdown, created_at)
    select ${sessionId}, ${turnId}, ${modelId}, ${contextWindow}, ${usableTokens}, ${currentTokens}, ${source}, ${breakdown}, ${createdAt}
    where not exists (
      select 1 from ${s}
      where ${s.id} = (select max(newest.id) from ${s} newest where newest.session_id = ${sessionId})
        and ${s.turnId} is ${turnId} and ${s.modelId} = ${modelId} and ${s.currentTokens} = ${currentTokens}
        and ${s.usableTokens} = ${usableTokens} and ${s.breakdown} = ${breakdown}
    )`),
  );
}

/**
 * Bounds a session's samples and keeps its chart complete: above `MOST_SAMPLES`, deletes every second one of the older
 * half. Samples that were thinned repeatedly are sparse, the newest half is complete, and the first one is kept.
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
  /** Missing in older samples. */
  situation: tokens.default(0),
});

function sampleFromRow({ sessionId: _, breakdown, ...columns }: typeof contextSamples.$inferSelect): ContextSample {
  const place = { table: 'context_samples', id: String(columns.id) };
  return { ...columns, breakdown: parseJsonColumn(breakdownSchema, breakdown, place) };
}
