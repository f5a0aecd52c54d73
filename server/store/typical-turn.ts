import { and, desc, eq, isNotNull } from 'drizzle-orm';
import { type Usage, usageSchema } from '#server/core/messages';
import type { ModelList } from '#server/core/settings-report';
import type { Database } from '#server/store/database';
import { parseJsonColumn } from '#server/store/part-codec';
import { messages } from '#server/store/schema/sessions';

/** Steps that are looked at, and turns: the newest say most about the next. */
const MOST_STEPS = 100;
const MOST_TURNS = 10;

/** Averages the newest turns of which the provider reported what they took; null where there is none. */
export function createTypicalTurn(db: Database): (sessionId: string) => Promise<ModelList['typicalTurn'] | null> {
  return async (sessionId) => {
    const rows = await db.read
      .select({ id: messages.id, turnId: messages.turnId, usage: messages.usage })
      .from(messages)
      .where(and(eq(messages.sessionId, sessionId), eq(messages.role, 'assistant'), isNotNull(messages.usage)))
      .orderBy(desc(messages.seq))
      .limit(MOST_STEPS);
    const steps = rows.map(({ id, turnId, usage }) => ({
      turnId,
      usage: parseJsonColumn(usageSchema, usage ?? '', { table: 'messages', id }),
    }));
    const turns = [...new Set(steps.map(({ turnId }) => turnId))].slice(0, MOST_TURNS);
    if (turns.length === 0) return null;
    const counted = steps.filter(({ turnId }) => turns.includes(turnId));
    const average = (tokens: (usage: Usage) => number) =>
      Math.round(counted.reduce((sum, { usage }) => sum + tokens(usage), 0) / turns.length);
    return {
      turns: turns.length,
      inputTokens: average(({ inputTokens }) => inputTokens),
      outputTokens: average(({ outputTokens }) => outputTokens),
      cacheReadTokens: average(({ cacheReadTokens = 0 }) => cacheReadTokens),
    };
  };
}
