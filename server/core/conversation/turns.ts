import { z } from 'zod';
import type { Scope } from '#server/core/admin/access-rights';
import type { ApprovalPolicy } from '#server/core/conversation/approvals';
import type { Message, NewMessage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import { components, idOf, type Shape } from '#server/core/shapes';
import type { CodedMessage } from '#server/core/coded-message';

/* Turns: the requests that start them, the queue of requests that wait for the running one, and how turns end. */

/** The finish reason of an answer that the user stopped. */
export const CANCELLED = 'cancelled';
/** The result of a call that the user's stop has ended or prevented from starting. */
export const CANCELLED_BY_USER = 'Cancelled by the user.';
/** The result of a call in an answer that failed: the rest of the answer is unknown. */
export const BROKEN_OFF = 'Not run: the answer that asked for it broke off.';
/** The result of a call whose input was not complete when the answer ended. */
export const INPUT_CUT =
  'Not run: the answer ended before the input of this call was complete. The input above is what was written so far. Make the call again with a complete input; if the input is long, send less text at once and the rest in further calls.';
/** The result of a call whose tool was interrupted because its server stopped. */
export const INTERRUPTED_TOOL =
  'Interrupted: the server stopped before this tool finished. Check the current state before repeating it.';

/** States of a turn. */
export const turnStatuses = [
  'running',
  'completed',
  'failed',
  /** The server stopped, or its lease expired, before the turn was done. */
  'interrupted',
  /** The user stopped the turn. */
  'cancelled',
  /** Calls wait for the user's decision; other turns may run in the session during that time. */
  'waiting_approval',
] as const;
export type TurnStatus = (typeof turnStatuses)[number];

/** A turn, and the process that runs it. */
export interface OwnedTurn {
  readonly id: string;
  readonly leaseOwner: string;
}

/** All work for one user message, or for one coalesced batch. At most one turn of a session is `running`. */
export interface Turn extends OwnedTurn {
  readonly sessionId: string;
  readonly userMessageId: string;
  /** Overrides the session's model for this turn. */
  readonly modelId: string | null;
  readonly status: TurnStatus;
  readonly approvalPolicy: ApprovalPolicy;
  /** Scopes that all senders of its messages have; the assistant has only these. */
  readonly scopes: readonly Scope[];
  /** API keys that its messages were sent with: the turn ends when one of them becomes invalid. Null: none. */
  readonly keyIds: readonly string[] | null;
  /** Epoch ms; a running turn with an expired lease belongs to no process and is settled. */
  readonly leaseExpiresAt: number;
  /** Epoch ms; time at which the user asked to stop it. */
  readonly cancelRequestedAt: number | null;
  readonly error: string | null;
  /** `error` as data; null if it has no code. */
  readonly errorMessage: CodedMessage | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

/** Claim of a server process on a turn, until it expires or is renewed. */
export interface Lease {
  /** Id of the server process. */
  readonly leaseOwner: string;
  /** Milliseconds. */
  readonly leaseMs: number;
}

/** Reasons why a queued message is not sent automatically. */
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
  /** The API key that it was sent with; null: none. */
  readonly keyId: string | null;
  /** The reason why only a person can send it; null: it is sent in its turn. */
  readonly heldReason: HoldReason | null;
  /** True if it does not join the running turn. */
  readonly startsTurn: boolean;
  readonly createdAt: number;
}

/** Queued messages of a session, in the order in which they will be sent. */
export interface Queue {
  readonly items: readonly QueuedMessage[];
  /** True after a cancel: nothing starts automatically; the user sends or clears the messages. */
  readonly held: boolean;
}

/** What became of a sent message: a turn was started, it was queued (`position` counts from 1), or it was repeated. */
export type BeginOutcome =
  | { readonly kind: 'started'; readonly turn: Turn; readonly message: Message; readonly dequeued: readonly string[] }
  | { readonly kind: 'queued'; readonly item: QueuedMessage; readonly position: number }
  | RepeatedRequest;

/**
 * The request was sent before, with the same `clientRequestId`. `id`: of the message or of the queued message that it
 * became; `position`: null if it is no longer queued.
 */
export interface RepeatedRequest {
  readonly kind: 'repeated';
  readonly id: string;
  readonly position: number | null;
}

/** A request that starts a turn or is queued. */
export interface TurnRequest extends Lease {
  readonly sessionId: string;
  /** The user's message, with the tokens of its parts counted. */
  readonly message: NewMessage;
  readonly modelId: string | null;
  /** Default `ask`. */
  readonly approvalPolicy?: ApprovalPolicy;
  /** Scopes of its sender. */
  readonly scopes: readonly Scope[];
  /** The API key that it is sent with. Default: none. */
  readonly keyId?: string | null | undefined;
  /** The client's id for this request; a repeated id starts nothing. */
  readonly clientRequestId: string | null;
  /** True if the message, while it is queued, does not join the running turn. Default false. */
  readonly startsTurn?: boolean | undefined;
  /** Queued messages are included up to this total number of tokens. */
  readonly maxTokens: number;
  /** Maximum number of turns that the session's owner may run simultaneously. Default: unlimited. */
  readonly maxRunning?: number | undefined;
  /** Title for a session that has none yet. */
  readonly title?: string;
  /** The newest user message, which this one replaces: it and everything after it are superseded. */
  readonly replaces?: string;
}

/** A turn that was started for queued messages. */
export interface DequeuedTurn {
  readonly turn: Turn;
  readonly message: Message;
  /** Ids of the messages in the queue. */
  readonly dequeued: readonly string[];
}

/** Result of a cancel (POST /api/chat/{id}/cancel). */
export const cancelledSchema = z
  .strictObject({
    cancelled: z.boolean().describe('True if no turn runs; false: it was asked to stop and has not ended yet'),
    persisted: z
      .enum(['partial_assistant', 'tools_in_progress'])
      .nullable()
      .describe('Content that existed at the time of the cancel and was kept'),
  })
  .register(components, { id: 'CancelOutcome' });
export type Persisted = z.infer<typeof cancelledSchema>['persisted'];

/** Response: the message was queued, at this position (from 1). */
export const queuedSchema = z
  .strictObject({
    queued: z.literal(true).describe('The message waits for the running turn'),
    position: z.number().int().min(1).describe('Position in the queue, from 1'),
    id: idOf('que'),
  })
  .register(components, { id: 'QueuedReceipt' });
export type QueuedReceipt = Shape<typeof queuedSchema>;

/** Response of POST /api/message/queue: the message was queued, or (position 0) a turn has started with it. */
export const enqueuedSchema = z
  .union([
    queuedSchema,
    z
      .strictObject({
        queued: z.literal(false).describe('A turn has started with the message'),
        position: z.literal(0).describe('Always 0: it does not wait'),
        id: idOf('msg'),
      })
      .register(components, { id: 'StartedReceipt' }),
  ])
  .register(components, { id: 'EnqueueReceipt' });
export type QueueReceipt = Shape<typeof enqueuedSchema>;
