import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { spendingKinds } from '#server/core/spending';

/* What models have cost. */

/**
 * Model calls, summed by day (UTC), person, conversation, model and purpose. Rows refer to nothing: what was paid stays,
 * whatever is deleted. Amounts are in millionths of a US dollar.
 */
export const spending = sqliteTable(
  'spending',
  {
    day: text('day').notNull(),
    userId: text('user_id').notNull(),
    /** Empty: a conversation that a program keeps. */
    sessionId: text('session_id').notNull(),
    modelId: text('model_id').notNull(),
    kind: text('kind', { enum: spendingKinds }).notNull(),
    calls: integer('calls').notNull(),
    inputTokens: integer('input_tokens').notNull(),
    outputTokens: integer('output_tokens').notNull(),
    cacheReadTokens: integer('cache_read_tokens').notNull(),
    cost: integer('cost').notNull(),
    /** The part of the cost that is by list prices. */
    estimated: integer('estimated').notNull(),
    /** Calls of which nobody says what they cost. */
    unpriced: integer('unpriced').notNull(),
    cacheSaved: integer('cache_saved').notNull(),
    compactionSaved: integer('compaction_saved').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.day, t.userId, t.sessionId, t.modelId, t.kind] }),
    // Budgets are asked for before each call: their sums are read from the indexes alone.
    index('spending_day_cost').on(t.day, t.userId, t.cost),
    index('spending_session_cost').on(t.sessionId, t.cost),
  ],
);
