import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { approvalStatuses, turnStatuses } from '#server/core/turns';

/* Times are epoch milliseconds. JSON columns are checked by the codecs on read. */

export const sessions = sqliteTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    title: text('title').notNull(),
    modelId: text('model_id'),
    ownerId: text('owner_id').notNull(),
    instructions: text('instructions'),
    workingContext: text('working_context', { mode: 'json' }),
    compactionCount: integer('compaction_count').notNull().default(0),
    lastCompactionAt: integer('last_compaction_at'),
    currentlyCompacting: integer('currently_compacting', { mode: 'boolean' }).notNull().default(false),
    compactingSince: integer('compacting_since'),
    compactionLeaseOwner: text('compaction_lease_owner'),
    compactionLeaseExpiresAt: integer('compaction_lease_expires_at'),
    /** After a cancel: what waits is not sent by itself. */
    queueHeld: integer('queue_held', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    index('sessions_owner_updated').on(t.ownerId, t.updatedAt),
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
    /** JSON (core/turns CoalescedMetadata). */
    metadata: text('metadata'),
    /** A message from before parts existed, as a JSON string; read only while it has no parts. */
    content: text('content'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('messages_session_seq').on(t.sessionId, t.seq),
    index('messages_status').on(t.status),
    index('messages_turn').on(t.turnId),
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
    type: text('type', {
      enum: ['text', 'reasoning', 'tool-call', 'tool-result', 'file', 'step-start', 'compaction-marker'],
    }).notNull(),
    state: text('state', { enum: ['pending', 'running', 'completed', 'error'] }).notNull(),
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
    /** Of the model that the view was made for; null for prunes and in rows from before it was kept. */
    contextWindow: integer('context_window'),
    /** What the session worked with after it, for an undo of the next one. */
    workingContext: text('working_context', { mode: 'json' }),
    durationMs: integer('duration_ms').notNull().default(0),
    usage: text('usage'),
    error: text('error'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('compactions_session_created').on(t.sessionId, t.createdAt)],
);

export const turns = sqliteTable(
  'turns',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    userMessageId: text('user_message_id').notNull(),
    status: text('status', { enum: turnStatuses }).notNull(),
    leaseOwner: text('lease_owner').notNull(),
    leaseExpiresAt: integer('lease_expires_at').notNull(),
    modelId: text('model_id'),
    cancelRequestedAt: integer('cancel_requested_at'),
    error: text('error'),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (t) => [
    uniqueIndex('turns_one_running')
      .on(t.sessionId)
      .where(sql`status = 'running'`),
    index('turns_status_lease').on(t.status, t.leaseExpiresAt),
  ],
);

export const queuedMessages = sqliteTable(
  'queued_messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    parts: text('parts').notNull(),
    modelId: text('model_id'),
    /** Lower is sent earlier. A new one gets one above all others, "send now" one below; old rows share 0, by id. */
    rank: integer('rank').notNull().default(0),
    /** "Send now" while a turn runs: it goes although the queue is held. */
    isReleased: integer('is_released', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('queued_messages_session').on(t.sessionId, t.rank, t.id)],
);

/** Requests that were accepted, by the client's own id for them, so that a repeated one runs once. */
export const acceptedRequests = sqliteTable(
  'accepted_requests',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    clientRequestId: text('client_request_id').notNull(),
    /** Id of its place in the queue, or of the message if it started its turn at once. */
    acceptedAs: text('accepted_as').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.clientRequestId] })],
);

/** Calls that wait for the user, and what was decided. */
export const approvals = sqliteTable(
  'approvals',
  {
    /** The tool-call part. */
    partId: text('part_id')
      .primaryKey()
      .references(() => messageParts.id, { onDelete: 'cascade' }),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    turnId: text('turn_id')
      .notNull()
      .references(() => turns.id, { onDelete: 'cascade' }),
    toolCallId: text('tool_call_id').notNull(),
    status: text('status', { enum: approvalStatuses }).notNull(),
    reason: text('reason'),
    decidedAt: integer('decided_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('approvals_session_status').on(t.sessionId, t.status), index('approvals_turn').on(t.turnId)],
);

/** What happened in a session, for clients that follow it; only the newest of each session are kept. */
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

/** Pages and posts. `draft` and `published` are whole documents (core/content EntryDocument). */
export const entries = sqliteTable(
  'entries',
  {
    id: text('id').primaryKey(),
    type: text('type', { enum: ['page', 'post'] }).notNull(),
    slug: text('slug').notNull(),
    publishedSlug: text('published_slug'),
    title: text('title').notNull(),
    revision: integer('revision').notNull(),
    draft: text('draft', { mode: 'json' }).notNull(),
    published: text('published', { mode: 'json' }),
    publishedAt: integer('published_at'),
    deletedAt: integer('deleted_at'),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
  },
  (t) => [
    uniqueIndex('entries_type_slug')
      .on(t.type, t.slug)
      .where(sql`deleted_at is null`),
    uniqueIndex('entries_type_published_slug')
      .on(t.type, t.publishedSlug)
      .where(sql`deleted_at is null and published_slug is not null`),
    index('entries_type_updated').on(t.type, t.updatedAt),
  ],
);

/** Navigation and settings: one row each. */
export const siteDocuments = sqliteTable('site_documents', {
  key: text('key', { enum: ['navigation', 'settings'] }).primaryKey(),
  value: text('value', { mode: 'json' }).notNull(),
  revision: integer('revision').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/**
 * The journal: one row per write to content. Session, turn and tool call are plain columns, not foreign keys:
 * deleting a conversation must not delete the record of what it changed.
 */
export const revisions = sqliteTable(
  'revisions',
  {
    id: text('id').primaryKey(),
    /** Order of all changes; times can tie. */
    seq: integer('seq').notNull().unique(),
    targetType: text('target_type', { enum: ['page', 'post', 'navigation', 'settings'] }).notNull(),
    targetId: text('target_id').notNull(),
    slug: text('slug'),
    title: text('title').notNull(),
    revision: integer('revision').notNull(),
    action: text('action', { enum: ['create', 'update', 'publish', 'unpublish', 'delete', 'undo'] }).notNull(),
    operations: text('operations', { mode: 'json' }).notNull(),
    inverse: text('inverse', { mode: 'json' }).notNull(),
    /** The target's whole stored state before and after (null: it did not exist). */
    before: text('before', { mode: 'json' }),
    after: text('after', { mode: 'json' }),
    summary: text('summary').notNull(),
    actor: text('actor', { enum: ['assistant', 'user', 'api', 'seed'] }).notNull(),
    sessionId: text('session_id'),
    turnId: text('turn_id'),
    toolCallId: text('tool_call_id'),
    undoneBy: text('undone_by'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('revisions_target').on(t.targetId, t.seq), index('revisions_session').on(t.sessionId, t.seq)],
);

/** How much more than we count a model's provider charges, learned from its reports. */
export const modelCalibrations = sqliteTable('model_calibrations', {
  modelId: text('model_id').primaryKey(),
  /** JSON array of the newest ratios (reported / counted), oldest first. */
  ratios: text('ratios').notNull(),
  updatedAt: integer('updated_at').notNull(),
});

/** Lists of models with their limits as providers publish them, kept for a day. */
export const modelCatalogs = sqliteTable('model_catalogs', {
  /** `openrouter`, or the base URL of a local server. */
  source: text('source').primaryKey(),
  /** JSON. */
  models: text('models').notNull(),
  fetchedAt: integer('fetched_at').notNull(),
});

/** What the administrator set; a name without a row has the environment's value. */
export const settings = sqliteTable('settings', {
  name: text('name').primaryKey(),
  /** JSON. */
  value: text('value').notNull(),
  updatedAt: integer('updated_at').notNull(),
});
