import { z } from 'zod';
import type { Scope } from '#server/core/access-rights';
import type { ApprovalPolicy } from '#server/core/approvals';
import type { Message, NewMessage } from '#server/core/messages';
import type { NewPart } from '#server/core/parts';
import { idOf, type Shape } from '#server/core/shapes';

/* Turns: the requests that begin them, the queue of those that wait for the running one, and how they end. */

/** The finish reason of an answer that the user stopped. */
export const CANCELLED = 'cancelled';
/** The result of a call that the user's stop has ended, or kept from starting. */
export const CANCELLED_BY_USER = 'Cancelled by the user.';
/** The result of a call that came with an answer that failed: the rest of the answer is unknown. */
export const BROKEN_OFF = 'Not run: the answer that asked for it broke off.';
/** The result of a call whose tool was cut off with its server. */
export const INTERRUPTED_TOOL =
  'Interrupted: the server stopped before this tool finished. Check the current state before repeating it.';

export const turnStatuses = [
  'running',
  'completed',
  'failed',
  /** The server stopped, or its lease ran out, before it was done. */
  'interrupted',
  /** The user stopped it. */
  'cancelled',
  /** Calls wait for the user's decision; the session is free meanwhile. */
  'waiting_approval',
] as const;
export type TurnStatus = (typeof turnStatuses)[number];

/** Everything done for one user message, or one coalesced batch. At most one turn of a session is `running`. */
export interface Turn {
  readonly id: string;
  readonly sessionId: string;
  readonly userMessageId: string;
  /** Overrides the session's model for this turn. */
  readonly modelId: string | null;
  readonly status: TurnStatus;
  readonly approvalPolicy: ApprovalPolicy;
  /** Scopes that all senders of its messages have, and so the assistant has for them. */
  readonly scopes: readonly Scope[];
  /** API keys that its messages were sent with: it ends with each of them. Null: there are none. */
  readonly keyIds: readonly string[] | null;
  readonly leaseOwner: string;
  /** Epoch ms; a running turn whose lease has run out belongs to nobody and is settled. */
  readonly leaseExpiresAt: number;
  /** Epoch ms; the user asked to stop it. */
  readonly cancelRequestedAt: number | null;
  readonly error: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** Claim of a server process on a turn, until it runs out or is renewed. */
export interface Lease {
  /** An id of this server process. */
  readonly leaseOwner: string;
  /** Milliseconds. */
  readonly leaseMs: number;
}

/** Reasons for which a waiting message is not sent by itself. */
export const holdReasons = ['key-revoked', 'key-expired', 'budget-reached'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** A message that waits for the running turn, or for the user to send it after a cancelled one. */
export interface QueuedMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly parts: readonly NewPart[];
  readonly modelId: string | null;
  readonly approvalPolicy: ApprovalPolicy;
  /** Scopes of its author. */
  readonly scopes: readonly Scope[];
  /** The API key it was sent with; null: none. */
  readonly keyId: string | null;
  /** The reason for which only a person sends it; null: it is sent in its turn. */
  readonly heldReason: HoldReason | null;
  readonly createdAt: number;
}

/** Waiting messages of a session, in the order in which they will be sent. */
export interface Queue {
  readonly items: readonly QueuedMessage[];
  /** True after a cancel: nothing starts by itself, the user sends or clears. */
  readonly held: boolean;
}

/** Outcome for a message: a turn, a place in the queue (`position` counts from 1), or nothing new. */
export type BeginOutcome =
  | { readonly kind: 'started'; readonly turn: Turn; readonly message: Message; readonly dequeued: readonly string[] }
  | { readonly kind: 'queued'; readonly item: QueuedMessage; readonly position: number }
  | RepeatedRequest;

/** Its `clientRequestId` was seen before, as this message or queued one; position null: it waits no longer. */
export interface RepeatedRequest {
  readonly kind: 'repeated';
  readonly id: string;
  readonly position: number | null;
}

export interface TurnRequest extends Lease {
  readonly sessionId: string;
  /** The user's message, its parts counted. */
  readonly message: NewMessage;
  readonly modelId: string | null;
  /** Default `ask`. */
  readonly approvalPolicy?: ApprovalPolicy;
  /** Scopes of its sender. */
  readonly scopes: readonly Scope[];
  /** The API key it is sent with. Default: none. */
  readonly keyId?: string | null | undefined;
  /** The client's id for this request; the same id again starts nothing. */
  readonly clientRequestId: string | null;
  /** Waiting messages are taken along up to this many tokens in all. */
  readonly maxTokens: number;
  /** Most turns of the session's owner that may run at once. Default: any number. */
  readonly mostRunning?: number | undefined;
  /** For a session that has no name yet. */
  readonly title?: string;
  /** The newest user message, in whose place this one is sent: it and what followed are superseded. */
  readonly replaces?: string;
}

/** A turn that was started for waiting messages. */
export interface DequeuedTurn {
  readonly turn: Turn;
  readonly message: Message;
  /** Ids the messages had in the queue. */
  readonly dequeued: readonly string[];
}

/** Result of a cancel (POST /api/chat/{id}/cancel). */
export const cancelledSchema = z.strictObject({
  /** No turn runs any more; false: it was told to stop and has not ended yet. */
  cancelled: z.boolean(),
  /** Work that the cancel found and kept. */
  persisted: z.enum(['partial_assistant', 'tools_in_progress']).nullable(),
});
export type Persisted = z.infer<typeof cancelledSchema>['persisted'];

/** A message that waits. */
export const queuedSchema = z.strictObject({
  queued: z.literal(true),
  position: z.number().int().min(1),
  id: idOf('que'),
});
export type QueuedReceipt = Shape<typeof queuedSchema>;

/** A place in the queue, or (position 0) the message of the turn that has started. */
export const enqueuedSchema = z.union([
  queuedSchema,
  z.strictObject({ queued: z.literal(false), position: z.literal(0), id: idOf('msg') }),
]);
export type QueueReceipt = Shape<typeof enqueuedSchema>;
