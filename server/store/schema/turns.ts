import { sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { callRequestStatuses } from '#server/core/call-requests';
import { EMBEDDED_SITE } from '#server/core/content';
import type { Scope } from '#server/core/access-rights';
import { approvalPolicies, approvalStatuses } from '#server/core/approvals';
import { holdReasons, turnStatuses } from '#server/core/turns';
import { sessions, messageParts } from '#server/store/schema/sessions';

/* Work on a conversation: turns, what waits for one, and calls that wait for a person. */

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
    /** The caller's answer to calls that would ask. */
    approvalPolicy: text('approval_policy', { enum: approvalPolicies }).notNull().default('ask'),
    /** Scopes of the sender, and so of the assistant; rows from before there were accounts have those of the owner. */
    scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull().default(['admin']),
    /** JSON array: the API keys that sent its messages; null: none of them came with one. */
    keyIds: text('key_ids', { mode: 'json' }).$type<readonly string[]>(),
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
    index('turns_session').on(t.sessionId, t.id),
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
    approvalPolicy: text('approval_policy', { enum: approvalPolicies }).notNull().default('ask'),
    /** Scopes of the sender, and so of the assistant; rows from before there were accounts have those of the owner. */
    scopes: text('scopes', { mode: 'json' }).$type<readonly Scope[]>().notNull().default(['admin']),
    /** The API key it was sent with; null: none. */
    keyId: text('key_id'),
    /** Reason for which it is not sent by itself, whatever becomes of the queue; null: it is. */
    heldReason: text('held_reason', { enum: holdReasons }),
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
    /** JSON (core/tool-effect ToolEffect): what the user was shown; null: the tool cannot tell. */
    effect: text('effect'),
    reason: text('reason'),
    decidedAt: integer('decided_at'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('approvals_session_status').on(t.sessionId, t.status), index('approvals_turn').on(t.turnId)],
);

/** Calls of other assistants' that a person must agree to (`/mcp`). */
export const callRequests = sqliteTable(
  'call_requests',
  {
    id: text('id').primaryKey(),
    /** The API key, and the user for whom it acts. */
    keyId: text('key_id').notNull(),
    userId: text('user_id').notNull(),
    /** Site that it is about. */
    siteId: text('site_id').notNull().default(EMBEDDED_SITE),
    toolName: text('tool_name').notNull(),
    /** JSON, as it was asked for. */
    input: text('input', { mode: 'json' }).notNull(),
    /** SHA-256 of key, site, tool and input, hex: the same call finds its answer. */
    inputHash: text('input_hash').notNull(),
    /** JSON (core/tool-effect): what it would do, as it was when it was asked. */
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
