import { z } from 'zod';
import type { JsonValue } from '#server/core/json';
import type { NewPart, Part } from '#server/core/parts';
import type { Scope } from '#server/core/people';
import type { ToolEffect } from '#server/core/tool-effect';

export const roles = ['user', 'assistant', 'tool'] as const;
export type Role = (typeof roles)[number];

export const messageStatuses = ['streaming', 'complete', 'interrupted', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/**
 * Tokens that one step used, as the provider reported them. `inputTokens` is the whole request and already includes
 * cache reads and writes; `cost` is in US dollars where the provider says it.
 */
export const usageSchema = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number().optional(),
  cacheWriteTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cost: z.number().optional(),
  /** Of the input, our count of instructions and tool schemas, before any factor: they may be others at the next step. */
  fixedCount: z.number().optional(),
  /** What older rows have in its place: the same with the factor of then in it. */
  fixedTokens: z.number().optional(),
  /** Which view was sent: a report says nothing about another one (see view-key). */
  viewKey: z.string().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** One stored message with its parts in order. `seq` is unique within the session and gives the order. */
export interface Message {
  readonly id: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly role: Role;
  readonly status: MessageStatus;
  /** A compaction's summary: hidden from the transcript, first in the view. */
  readonly isSummary: boolean;
  /** The user message that this message answers. */
  readonly parentId: string | null;
  readonly turnId: string | null;
  readonly modelId: string | null;
  readonly finishReason: string | null;
  readonly error: string | null;
  readonly usage: Usage | null;
  /** Of a user message that is several in one (see core/turns); null otherwise. */
  readonly metadata: CoalescedMetadata | null;
  /** The user message that was sent in the place of this one's; null: it stands. The view has only what stands. */
  readonly supersededBy: string | null;
  readonly createdAt: number;
  readonly parts: readonly Part[];
}

/** A message before it has a row. */
export interface NewMessage {
  readonly id?: string;
  readonly role: Role;
  readonly parts: readonly NewPart[];
  readonly status?: MessageStatus;
  readonly parentId?: string | null;
  readonly turnId?: string | null;
  readonly modelId?: string | null;
  readonly finishReason?: string | null;
  readonly error?: string | null;
  readonly usage?: Usage | null;
  readonly metadata?: CoalescedMetadata | null;
}

/** Until the first request gives a session its name. */
export const DEFAULT_SESSION_TITLE = 'New conversation';

/** One conversation. */
export interface Session {
  readonly id: string;
  readonly title: string;
  readonly modelId: string | null;
  readonly ownerId: string;
  /** Extra instructions of this session (imported system messages). */
  readonly instructions: string | null;
  readonly compactionCount: number;
  readonly lastCompactionAt: number | null;
  readonly currentlyCompacting: boolean;
  readonly compactingSince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The finish reason of an answer that the user stopped. */
export const CANCELLED = 'cancelled';
/** The result of a call that the user's stop has ended, or kept from starting. */
export const CANCELLED_BY_USER = 'Cancelled by the user.';
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

/**
 * What the sender of a message says of calls that have to ask: they wait for a decision (`ask`), count as approved by
 * whoever sent it (`allow`), or are denied at once (`deny`).
 */
export const approvalPolicies = ['ask', 'allow', 'deny'] as const;
export type ApprovalPolicy = (typeof approvalPolicies)[number];

const byStrictness: readonly ApprovalPolicy[] = ['deny', 'ask', 'allow'];

/** What holds for several messages that become one; there must be one. */
export function strictest(policies: readonly ApprovalPolicy[]): ApprovalPolicy {
  return byStrictness.find((policy) => policies.includes(policy)) ?? 'ask';
}

/** Everything done for one user message, or one coalesced batch. At most one turn of a session is `running`. */
export interface Turn {
  readonly id: string;
  readonly sessionId: string;
  readonly userMessageId: string;
  /** Overrides the session's model for this turn. */
  readonly modelId: string | null;
  readonly status: TurnStatus;
  readonly approvalPolicy: ApprovalPolicy;
  /** What whoever sent its messages may do, and so the assistant for them: only what all of them may. */
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

/** Who runs a turn and how long that holds without a renewal. */
export interface Lease {
  /** An id of this server process. */
  readonly leaseOwner: string;
  /** Milliseconds. */
  readonly leaseMs: number;
}

/** Why a waiting message is not sent by itself: the API key that it was sent with holds no more. */
export const holdReasons = ['key-revoked', 'key-expired'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** A message that waits for the running turn, or for the user to send it after a cancelled one. */
export interface QueuedMessage {
  readonly id: string;
  readonly sessionId: string;
  readonly parts: readonly NewPart[];
  readonly modelId: string | null;
  readonly approvalPolicy: ApprovalPolicy;
  /** What whoever wrote it may do. */
  readonly scopes: readonly Scope[];
  /** The API key it was sent with; null: none. */
  readonly keyId: string | null;
  /** Why only a person sends it; null: it is sent in its turn. */
  readonly heldReason: HoldReason | null;
  readonly createdAt: number;
}

/** What waits in a session, in the order in which it will be sent. */
export interface Queue {
  readonly items: readonly QueuedMessage[];
  /** True after a cancel: nothing starts by itself, the user sends or clears. */
  readonly held: boolean;
}

/** Where a user message came from when it is several in one. Stored with it as `metadata`. */
export interface CoalescedMetadata {
  readonly coalesced: true;
  readonly messageCount: number;
  /** Ids the messages had in the queue, in order; the newest, if it never waited, has the id of the message itself. */
  readonly originalMessages: readonly string[];
  /** Epoch milliseconds. */
  readonly firstQueuedAt: number;
  readonly lastQueuedAt: number;
}

/** What became of a message: a turn, a place in the queue (`position` counts from 1), or nothing new. */
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
  /** What its sender may do. */
  readonly scopes: readonly Scope[];
  /** The API key it is sent with. Default: none. */
  readonly keyId?: string | null | undefined;
  /** The client's id for this request; the same id again starts nothing. */
  readonly clientRequestId: string | null;
  /** Waiting messages are taken along up to this many tokens in all. */
  readonly maxTokens: number;
  /** As many turns of the session's owner may run at once. Default: any number. */
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

export const approvalStatuses = ['pending', 'approved', 'denied'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** A stored call that runs only if the user says so; decided once. */
export interface Approval {
  /** The tool-call part: what is decided on is what is stored. */
  readonly partId: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** What the user is shown of what the call would do; null: the tool cannot tell. */
  readonly effect: ToolEffect | null;
  readonly status: ApprovalStatus;
  /** The user's words, or why nobody was asked. */
  readonly reason: string | null;
  readonly decidedAt: number | null;
}

export interface ApprovalDecision {
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** What a cancel found and kept (POST /api/chat/{id}/cancel). */
export type Persisted = 'partial_assistant' | 'tools_in_progress' | null;
