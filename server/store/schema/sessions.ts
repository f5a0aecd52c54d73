import { sql } from 'drizzle-orm';
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { EMBEDDED_SITE } from '#server/core/content';
import { partStates, partTypes } from '#server/core/parts';

/* Conversations: what was said, what the engine did to the view, and what is told of it. */

export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    title: text('title').notNull(),
    modelId: text('model_id'),
    ownerId: text('owner_id').notNull(),
    /** Site that it works on, for good. */
    siteId: text('site_id').notNull().default(EMBEDDED_SITE),
    instructions: text('instructions'),
    workingContext: text('working_context', { mode: 'json' }),
    compactionCount: integer('compaction_count').notNull().default(0),
    lastCompactionAt: integer('last_compaction_at'),
    currentlyCompacting: integer('currently_compacting', { mode: 'boolean' }).notNull().default(false),
    compactingSince: integer('compacting_since'),
    compactionLeaseOwner: text('compaction_lease_owner'),
    compactionLeaseExpiresAt: integer('compaction_lease_expires_at'),
    /** JSON of server/store/context-store: when the model that failed to write summaries is asked again. */
    summarizerPause: text('summarizer_pause', { mode: 'json' }),
    /** JSON array: names of tools that were loaded on demand. */
    loadedTools: text('loaded_tools').notNull().default('[]'),
    /** After a cancel: what waits is not sent by itself. */
    queueHeld: integer('queue_held', { mode: 'boolean' }).notNull().default(false),
    /* Sums that triggers keep (migration 0022), so that nobody adds up a whole session. */
    /** US dollars that its steps and summaries cost, as their providers reported it; null where none did. */
    cost: real('cost'),
    /** Messages that the transcript shows. */
    messageCount: integer('message_count').notNull().default(0),
    /** Tokens that clearing and summarizing keep out of each request now. */
    removedTokens: integer('removed_tokens').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    /** Set while the session is deleted in pieces: nobody finds it any more (see delete-session). */
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
    usage: text('usage'),
    /** JSON (CoalescedMetadata of core/messages). */
    metadata: text('metadata'),
    /** A message from before parts existed, as a JSON string; read only while it has no parts. */
    content: text('content'),
    /** The user message that was sent in the place of this one's, or the import that is not through yet; null: it stands. */
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

export const compactions = sqliteTable(
  'compactions',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** 1 for the first compaction; a prune belongs to the round it happened in. */
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
    /** Messages before the cut that the view keeps, in order: in front of the summary, and behind it. */
    keptBeforeSummary: text('kept_before_summary').notNull().default('[]'),
    keptAfterSummary: text('kept_after_summary').notNull().default('[]'),
    summaryMessageId: text('summary_message_id').references(() => messages.id, { onDelete: 'cascade' }),
    modelId: text('model_id'),
    /** Window of the model that the view was made for; null for prunes and in rows from before it was kept. */
    contextWindow: integer('context_window'),
    /** Working context after the compaction, for an undo of the next one. */
    workingContext: text('working_context', { mode: 'json' }),
    durationMs: integer('duration_ms').notNull().default(0),
    usage: text('usage'),
    error: text('error'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('compactions_session_created').on(t.sessionId, t.createdAt),
    index('compactions_summary').on(t.summaryMessageId),
  ],
);

/**
 * The newest revision at which the assistant has seen an entry, a section or a detail (server/tools/guarded-content).
 * Triggers keep it from the results of tools; where messages are superseded it is read from what still stands.
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

/** Events of a session, for clients that follow it; only the newest of each session are kept. */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** JSON (core/events SessionEventData). */
    data: text('data').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('events_session').on(t.sessionId, t.id)],
);

/** Fill levels of session contexts after each step and each compaction, for the chart. */
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
    /** JSON (core/events ContextBreakdown). */
    breakdown: text('breakdown').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('context_samples_session').on(t.sessionId, t.id)],
);

/** Lasting wishes of the user, word for word (core/kept-wishes). */
export const keptWishes = sqliteTable(
  'kept_wishes',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    quote: text('quote').notNull(),
    /** The message that says it; a wish whose message was superseded is not kept any more. */
    messageId: text('message_id').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Null: it is kept. */
    letGoAt: integer('let_go_at'),
  },
  (t) => [index('kept_wishes_session').on(t.sessionId, t.id)],
);

/** Bytes of files that belong to a session, each stored once; messages name them as `@blob:<id>`. */
export const blobs = sqliteTable(
  'blobs',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    /** SHA-256 of the bytes, hex. */
    hash: text('hash').notNull(),
    /** By content, not by what its sender said. */
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

/** The engine's rounds for the beginnings of conversations that other programs keep (`/v1`). */
export const keptRounds = sqliteTable(
  'kept_rounds',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id').notNull(),
    /** Hash of the conversation up to the last message that the round changed; hexadecimal. A prefix may have several. */
    prefixHash: text('prefix_hash').notNull(),
    /** JSON of server/completions/kept-rounds. */
    round: text('round').notNull(),
    createdAt: integer('created_at').notNull(),
    lastUsedAt: integer('last_used_at').notNull(),
  },
  (t) => [
    index('kept_rounds_owner_prefix').on(t.ownerId, t.prefixHash),
    index('kept_rounds_last_used').on(t.lastUsedAt),
  ],
);
