import { z } from 'zod';
import type { ApprovalPolicy } from '#server/core/approvals';
import { type NewPart, type Part, partSchema } from '#server/core/parts';
import type { Scope } from '#server/core/access-rights';
import { components, count, idOf, pageOf, type Shape, time } from '#server/core/shapes';

export const messageRoles = ['user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof messageRoles)[number];

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
  /** Our count of the instructions and tool schemas in the input, before any factor: they may be others at the next step. */
  fixedCount: z.number().optional(),
  /** Key of the view that was sent: a report says nothing about another one (viewKeyOf in server/context/current-tokens). */
  viewKey: z.string().optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** Origin of a user message that is several in one. Stored with it as `metadata`. */
const coalescedMetadataSchema = z.strictObject({
  coalesced: z.literal(true),
  messageCount: z.number().int().min(2),
  /** Ids the messages had in the queue, in order; the newest, if it never waited, has the id of the message itself. */
  originalMessages: z.array(z.union([idOf('que'), idOf('msg')])).min(2),
  firstQueuedAt: time,
  lastQueuedAt: time,
});
export type CoalescedMetadata = Shape<typeof coalescedMetadataSchema>;

/** One stored message with its parts in order. */
export const messageSchema = z
  .strictObject({
    id: idOf('msg'),
    sessionId: idOf('ses'),
    seq: z.number().int().min(1).describe('Its place in the session'),
    role: z.enum(messageRoles),
    status: z.enum(messageStatuses),
    /** A compaction's summary: hidden from the transcript, first in the view. */
    isSummary: z.boolean(),
    /** The user message that this message answers. */
    parentId: idOf('msg').nullable(),
    turnId: idOf('trn').nullable(),
    modelId: z.string().nullable(),
    finishReason: z.string().nullable(),
    error: z.string().nullable(),
    usage: usageSchema.nullable(),
    metadata: coalescedMetadataSchema.nullable().describe('Of several messages that were queued and sent as one'),
    /** The user message that replaced this one's; null: it counts. The view has only what counts. */
    supersededBy: idOf('msg').nullable(),
    createdAt: time,
    parts: z.array(partSchema),
  })
  .register(components, { id: 'Message' });
export type Message = Omit<Shape<typeof messageSchema>, 'parts'> & { readonly parts: readonly Part[] };

/** A message before it has a row. */
export interface NewMessage {
  readonly id?: string;
  readonly role: MessageRole;
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
export const sessionSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1),
    modelId: z.string().nullable().describe('Null: the default model'),
    ownerId: z.string().min(1),
    siteId: z.string().min(1).describe('The site that it works on, an id of `GET /api/sites`'),
    instructions: z.string().nullable().describe('System messages that came with an import or a prepare'),
    compactionCount: count,
    lastCompactionAt: time.nullable(),
    currentlyCompacting: z.boolean(),
    compactingSince: time.nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .register(components, { id: 'Session' });
export type Session = Shape<typeof sessionSchema>;

/** Formats in which a session can be exported. */
export const exportFormats = ['markdown', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

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

/** A message in the form that the chat of the AI SDK shows (`format=ui`). */
const uiMessageSchema = z
  .looseObject({
    id: z.string(),
    role: z.enum(['user', 'assistant', 'system']),
    metadata: z.looseObject({}).optional(),
    parts: z.array(z.looseObject({ type: z.string() })),
  })
  .register(components, { id: 'UiMessage' });

export const messagePageSchema = z.union([
  pageOf(messageSchema),
  pageOf(uiMessageSchema).extend({
    newestEvent: count
      .optional()
      .describe('With the newest page: id of the event after which everything that is not in it is told'),
  }),
]);

export const importedSchema = z.strictObject({ messages: count, parts: count, tokens: count });

/** A place where a search found its words. */
export const historyHitSchema = z.strictObject({
  messageId: idOf('msg'),
  partId: idOf('prt'),
  seq: z.number().int().min(1),
  role: z.enum(messageRoles),
  kind: z.enum(['text', 'tool-call', 'tool-result']),
  toolName: z.string().optional(),
  snippet: z.string(),
  turnId: z.string().nullable().describe('Null: from before there were turns'),
  createdAt: time,
});

/** A message of any session in which a search found its words. */
const sessionHitSchema = z.strictObject({
  sessionId: idOf('ses'),
  /** Title of the session. */
  title: z.string(),
  ...historyHitSchema.shape,
});
export type SessionHit = Shape<typeof sessionHitSchema>;
export const sessionHitPageSchema = pageOf(sessionHitSchema);
