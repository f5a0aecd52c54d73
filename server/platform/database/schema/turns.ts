import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { callRequestStatuses } from '#server/core/conversation/pending-approvals';
import { EMBEDDED_SITE } from '#server/core/site/content';
import type { Scope } from '#server/core/admin/access-rights';
import { approvalPolicies, approvalStatuses } from '#server/core/conversation/approvals';
import { holdReasons, turnStatuses } from '#server/core/conversation/turns';
import type { CodedMessage } from '#server/core/coded-message';
import { sessions, messageParts } from '#server/platform/database/schema/sessions';

/* Tables of the work on a conversation: turns, the queue, approvals. All times are epoch milliseconds. */

/** Turns: the work for one user message or one batch of queued messages. At most one of a session is running. */
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
    /** The caller's policy for calls that require approval. */
    approvalPolicy: text('approval_policy', { enum: approvalPolicies }).notNull().default('ask'),
    /**
     * Scopes of the sender, and therefore of the assistant; rows from before accounts existed have those of the owner.
     */
    scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull().default(['admin']),
    /** JSON array: ids of the API keys with which its messages were sent; null: all were sent without a key. */
    keyIds: text('key_ids', { mode: 'json' }).$type<readonly string[]>(),
    cancelRequestedAt: integer('cancel_requested_at'),
    error: text('error'),
    /** `error` as data; null if it has no code, as in rows of older versions. */
    errorMessage: text('error_message', { mode: 'json' }).$type<CodedMessage>(),
    startedAt: integer('started_at').notNull(),
    endedAt: integer('ended_at'),
  },
  (t) => [
    uniqueIndex('turns_one_running')
      .on(t.sessionId)
      .where(sql`status = 'running'`),
    index('turns_status_lease').on(t.status, t.leaseExpiresAt),
    index('turns_session').on(t.sessionId, t.id),
  ],
);

/** User messages that wait while a turn runs, or because they are held. */
export const queuedMessages = sqliteTable(
  'queued_messages',
  {
    id: text('id').primaryKey(),
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    parts: text('parts').notNull(),
    modelId: text('model_id'),
    approvalPolicy: text('approval_policy', { enum: approvalPolicies }).notNull().default('ask'),
    /**
     * Scopes of the sender, and therefore of the assistant; rows from before accounts existed have those of the owner.
     */
    scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull().default(['admin']),
    /** The API key with which it was sent; null: none. */
    keyId: text('key_id'),
    /** Why the message is not sent automatically, regardless of the state of the queue; null: it is sent. */
    heldReason: text('held_reason', { enum: holdReasons }),
    /**
     * Order of the queue: the lowest is sent first. A new message gets a rank above all others, "send now" sets one below
     * all others. Rows of older versions all have 0 and are ordered by id.
     */
    rank: integer('rank').notNull().default(0),
    /** True after "send now" during a turn: the message is sent even if the queue is held. */
    isReleased: integer('is_released', { mode: 'boolean' }).notNull().default(false),
    /** True if the message waits for a turn of its own: the running turn does not take it. */
    startsTurn: integer('starts_turn', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('queued_messages_session').on(t.sessionId, t.rank, t.id)],
);

/** Accepted requests, by the client's own id, so that a repeated request runs once. */
export const acceptedRequests = sqliteTable(
  'accepted_requests',
  {
    sessionId: text('session_id')
      .notNull()
      .references(() => sessions.id, { onDelete: 'cascade' }),
    clientRequestId: text('client_request_id').notNull(),
    /** Id of the message; while it is queued, of its queue entry. Rows of 0.2.0 keep the entry's id. */
    acceptedAs: text('accepted_as').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.sessionId, t.clientRequestId] })],
);

/** Calls that wait for the user's approval, and the decisions. */
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
    /** JSON (core/conversation/tool-effect ToolEffect): the effect that the user was shown; null: the tool cannot predict it. */
    effect: text('effect'),
    reason: text('reason'),
    decidedAt: integer('decided_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('approvals_session_status').on(t.sessionId, t.status), index('approvals_turn').on(t.turnId)],
);

/** Pending approvals: calls that other programs made through `/mcp` and that a person must approve. */
export const callRequests = sqliteTable(
  'call_requests',
  {
    id: text('id').primaryKey(),
    /** The API key, and the user on whose behalf it acts. */
    keyId: text('key_id').notNull(),
    userId: text('user_id').notNull(),
    /** Site that the call concerns. */
    siteId: text('site_id').notNull().default(EMBEDDED_SITE),
    toolName: text('tool_name').notNull(),
    /** JSON, exactly as requested. */
    input: text('input', { mode: 'json' }).notNull(),
    /** SHA-256 of key, site, tool and input, hex: the same call finds its decision. */
    inputHash: text('input_hash').notNull(),
    /** JSON (core/conversation/tool-effect): the predicted effect at the time of the request. */
    effect: text('effect', { mode: 'json' }),
    status: text('status', { enum: callRequestStatuses }).notNull(),
    reason: text('reason'),
    decidedBy: text('decided_by'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (t) => [
    index('call_requests_user_created').on(t.userId, t.createdAt),
    index('call_requests_hash').on(t.inputHash, t.createdAt),
  ],
);

/** Approvals about which a person was emailed, so that each is emailed once, also after a restart. */
export const approvalMails = sqliteTable(
  'approval_mails',
  {
    userId: text('user_id').notNull(),
    /** The part id of `approvals`, or the id of `call_requests`. */
    callId: text('call_id').notNull(),
    mailedAt: integer('mailed_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.userId, t.callId] }), index('approval_mails_mailed').on(t.mailedAt)],
);
