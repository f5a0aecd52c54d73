import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { CodedMessage } from '#server/core/coded-message';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { partStates, partTypes } from '#server/core/conversation/parts';

/* Tables of conversations: messages, the engine's changes to the view, events. */

/** Conversations. All times in this file are epoch milliseconds. */
export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    title: text('title').notNull(),
    modelId: text('model_id'),
    ownerId: text('owner_id').notNull(),
    /** The session's site; it never changes. */
    siteId: text('site_id').notNull().default(EMBEDDED_SITE),
    instructions: text('instructions'),
    workingContext: text('working_context', { mode: 'json' }),
    compactionCount: integer('compaction_count').notNull().default(0),
    lastCompactionAt: integer('last_compaction_at'),
    currentlyCompacting: integer('currently_compacting', { mode: 'boolean' }).notNull().default(false),
    compactingSince: integer('compacting_since'),
    compactionLeaseOwner: text('compaction_lease_owner'),
    compactionLeaseExpiresAt: integer('compaction_lease_expires_at'),
    /** JSON of server/conversation/store/stored-session: when the model that failed to write summaries is tried again. */
    summarizerPause: text('summarizer_pause', { mode: 'json' }),
    /** JSON array: names of tools that were loaded on demand. */
    loadedTools: text('loaded_tools').notNull().default('[]'),
    /** True after a cancel: queued messages are not sent automatically. */
    queueHeld: integer('queue_held', { mode: 'boolean' }).notNull().default(false),
    /* Sums maintained by triggers (migration 0022), so that queries need not add up a whole session. */
    /** US dollars that its steps and summaries cost, as reported by their providers; null if none reported it. */
    cost: real('cost'),
    /** Number of messages in the transcript. */
    messageCount: integer('message_count').notNull().default(0),
    /** Tokens that pruning and compaction currently remove from each request. */
    removedTokens: integer('removed_tokens').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Set while the session is being deleted in pieces: queries no longer return it (see delete-session). */
    deletedAt: integer('deleted_at'),
  },
  (t) => [
    index('sessions_owner_updated').on(t.ownerId, t.updatedAt),
    index('sessions_updated').on(t.updatedAt, t.id),
    index('sessions_deleted')
      .on(t.deletedAt)
      .where(sql`deleted_at is not null`),
    index('sessions_compacting').on(t.currentlyCompacting, t.compactionLeaseExpiresAt),
  ],
);

/** Messages of a session, ordered by `seq`; their content is in `message_parts`. */
export const messages = sqliteTable(
  'messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    seq: integer('seq').notNull(),
    role: text('role', { enum: ['user', 'assistant', 'tool'] }).notNull(),
    status: text('status', { enum: ['streaming', 'complete', 'interrupted', 'failed'] }).notNull(),
    isSummary: integer('is_summary', { mode: 'boolean' }).notNull().default(false),
    parentId: text('parent_id'),
    turnId: text('turn_id'),
    modelId: text('model_id'),
    finishReason: text('finish_reason'),
    error: text('error'),
    /** JSON (CodedMessage): `error` as data; null if it has no code, as in rows of older versions. */
    errorMessage: text('error_message'),
    usage: text('usage'),
    /** JSON (CoalescedMetadata of core/conversation/messages). */
    metadata: text('metadata'),
    /** A message from before parts existed, as a JSON string; read only while it has no parts. */
    content: text('content'),
    /**
     * The user message that replaced the one of this turn, or the import that is not completed yet; null: in effect.
     */
    supersededBy: text('superseded_by'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('messages_session_seq').on(t.sessionId, t.seq),
    index('messages_status').on(t.status),
    index('messages_turn').on(t.turnId),
    index('messages_superseded')
      .on(t.supersededBy)
      .where(sql`superseded_by is not null`),
  ],
);

/**
 * Parts of messages: text, reasoning, tool calls and results, files. `tokens` is the count of what is stored; a prune sets
 * `compacted_at`.
 */
export const messageParts = sqliteTable(
  'message_parts',
  {
    id: text('id').primaryKey(),
    messageId: text('message_id')
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    order: integer('order').notNull(),
    type: text('type', { enum: partTypes }).notNull(),
    state: text('state', { enum: partStates }).notNull(),
    content: text('content').notNull(),
    tokens: integer('tokens'),
    originalTokens: integer('original_tokens'),
    compactedAt: integer('compacted_at'),
    /** Characters of the output that the view still shows; null: none, only the placeholder. */
    excerptChars: integer('excerpt_chars'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('message_parts_message_order').on(t.messageId, t.order),
    index('message_parts_session_type').on(t.sessionId, t.type),
  ],
);

/**
 * Progress of the index of trigrams over rows that are older than it: rows of `searchable_parts` up to this number are
 * not in it yet. Empty: the index is complete.
 */
export const searchBacklog = sqliteTable('history_search_backlog', {
  /** Always 1: there is at most one row. */
  id: integer('id').primaryKey(),
  untilRow: integer('until_row').notNull(),
});

/** Completed, failed and undone compactions and prunes. */
export const compactions = sqliteTable(
  'compactions',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** 1 for the first compaction; a prune belongs to the round in which it happened. */
    round: integer('round').notNull(),
    strategy: text('strategy').notNull(),
    trigger: text('trigger').notNull(),
    status: text('status', { enum: ['completed', 'failed', 'undone'] }).notNull(),
    tokensBefore: integer('tokens_before').notNull(),
    tokensAfter: integer('tokens_after').notNull(),
    messagesCompacted: integer('messages_compacted').notNull().default(0),
    compactedMessageIds: text('compacted_message_ids').notNull().default('[]'),
    /** Parts that a prune cleared, each with the mark that it set (see `PruneMark`). */
    prunedPartIds: text('pruned_part_ids').notNull().default('[]'),
    firstKeptMessageId: text('first_kept_message_id'),
    /** Messages before the cut that the view keeps, in order: before the summary, and after it. */
    keptBeforeSummary: text('kept_before_summary').notNull().default('[]'),
    keptAfterSummary: text('kept_after_summary').notNull().default('[]'),
    summaryMessageId: text('summary_message_id').references(() => messages.id, { onDelete: 'cascade' }),
    modelId: text('model_id'),
    /** Context window of the model for which the view was made; null for prunes and in older rows. */
    contextWindow: integer('context_window'),
    /** Working context after the compaction, for an undo of the next one. */
    workingContext: text('working_context', { mode: 'json' }),
    durationMs: integer('duration_ms').notNull().default(0),
    usage: text('usage'),
    error: text('error'),
    /** `error` as data; null if it has no code, as in rows of older versions. */
    errorMessage: text('error_message', { mode: 'json' }).$type<CodedMessage>(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('compactions_session_created').on(t.sessionId, t.createdAt),
    index('compactions_summary').on(t.summaryMessageId),
  ],
);

/**
 * The newest revision at which the assistant has seen an entry, a section or a detail (server/core/site/write-checks/seen-revisions).
 * Triggers maintain it from the results of tools; if messages are superseded, it is read from the remaining ones.
 */
export const seenPlaces = sqliteTable(
  'seen_places',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    revision: integer('revision').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.key] })],
);

/** Events of a session for connected clients; only the newest of each session are kept. */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** JSON (core/conversation/events SessionEventData). */
    data: text('data').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('events_session').on(t.sessionId, t.id)],
);

/** Tokens in the context of a session after each step and each compaction, for the chart of its history. */
export const contextSamples = sqliteTable(
  'context_samples',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    turnId: text('turn_id'),
    modelId: text('model_id').notNull(),
    contextWindow: integer('context_window').notNull(),
    usableTokens: integer('usable_tokens').notNull(),
    currentTokens: integer('current_tokens').notNull(),
    source: text('source', { enum: ['reported', 'estimated'] }).notNull(),
    /** JSON (core/conversation/events ContextBreakdown). */
    breakdown: text('breakdown').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('context_samples_session').on(t.sessionId, t.id)],
);

/** Preferences of the user, word for word (core/conversation/preferences). */
export const keptWishes = sqliteTable(
  'kept_wishes',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    quote: text('quote').notNull(),
    /** The message that contains it; a preference whose message was superseded is no longer in effect. */
    messageId: text('message_id').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Time when the user confirmed it; null: proposed. */
    confirmedAt: integer('confirmed_at'),
    /** Time of removal; null: in effect. */
    letGoAt: integer('let_go_at'),
  },
  (t) => [index('kept_wishes_session').on(t.sessionId, t.id)],
);

/** Bytes of files that belong to a session, each stored once; messages refer to them as `@blob:<id>`. */
export const blobs = sqliteTable(
  'blobs',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** SHA-256 of the bytes, hex. */
    hash: text('hash').notNull(),
    /** Detected from the content, not taken from the sender's claim. */
    mediaType: text('media_type').notNull(),
    filename: text('filename').notNull(),
    /** Bytes. */
    size: integer('size').notNull(),
    /** Pixels of an image. */
    width: integer('width'),
    height: integer('height'),
    data: blob('data', { mode: 'buffer' }).notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [uniqueIndex('blobs_session_hash').on(t.sessionId, t.hash)],
);

/** Answers of `/v1/responses` that later requests may refer to. */
export const storedResponses = sqliteTable(
  'stored_responses',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id').notNull(),
    /** The response that its request continued. */
    previousId: text('previous_id'),
    /** JSON of server/integrations/openai/responses/stored-responses: the request's own items, and the complete response. */
    content: text('content').notNull(),
    /** Characters of `content`. */
    size: integer('size').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('stored_responses_owner').on(t.ownerId, t.createdAt, t.size),
    index('stored_responses_created').on(t.createdAt),
  ],
);

/**
 * Compactions and prunes of conversations that other programs store (`/v1`), found by the beginning of a conversation. A
 * row is called a round.
 */
export const keptRounds = sqliteTable(
  'kept_rounds',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id').notNull(),
    /** Hash of the conversation up to the last message that the round changed; hexadecimal. A prefix may have several. */
    prefixHash: text('prefix_hash').notNull(),
    /** JSON of server/integrations/openai/compaction-cache. */
    round: text('round').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at').notNull(),
  },
  (t) => [
    index('kept_rounds_owner_prefix').on(t.ownerId, t.prefixHash),
    index('kept_rounds_last_used').on(t.lastUsedAt),
  ],
);

/** Compactions of conversations that programs store (core/admin/program-compactions), the newest ones. */
export const programCompactions = sqliteTable('program_compactions', {
  id: text('id').primaryKey(),
  modelId: text('model_id').notNull(),
  strategy: text('strategy').notNull(),
  tokensBefore: integer('tokens_before').notNull(),
  tokensAfter: integer('tokens_after').notNull(),
  messagesCompacted: integer('messages_compacted').notNull(),
  durationMs: integer('duration_ms').notNull(),
  createdAt: integer('created_at').notNull(),
});
