import { z } from 'zod';
import { holdReasons, type QueuedMessage, turnStatuses } from '#server/core/turns';
import { fileNames, writtenText } from '#server/core/part-text';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Reasons for which a compaction runs. */
export const compactionReasons = [
  'overflow',
  'threshold',
  'manual',
  'tool-response',
  'real-time',
  'provider-overflow',
  'background',
] as const;
export type CompactionReason = (typeof compactionReasons)[number];

const compactionStartSchema = z.strictObject({
  tokensBefore: count,
  modelLimit: count,
  reason: z.enum(compactionReasons),
});
const compactionCompleteSchema = z.strictObject({
  tokensBefore: count,
  tokensAfter: count,
  messagesCompacted: count,
  wasPruned: z.boolean(),
  wasSummarized: z.boolean(),
  round: z.number().int().min(1),
  compactionId: idOf('cmp'),
  strategy: z.string().min(1),
  durationMs: count,
});
const compactionFailedSchema = z.strictObject({ message: z.string().min(1) });

/** Payload of `data-compaction` while a summary is being made. Token counts are calibrated estimates. */
export type CompactionStart = Shape<typeof compactionStartSchema> & { readonly phase: 'start' };
export type CompactionComplete = Shape<typeof compactionCompleteSchema> & { readonly phase: 'complete' };
export type CompactionFailed = Shape<typeof compactionFailedSchema> & { readonly phase: 'failed' };
export type CompactionData = CompactionStart | CompactionComplete | CompactionFailed;

export const prunedSchema = z.strictObject({
  outputsPruned: count,
  tokensSaved: count,
  prunedTools: z.array(z.string()),
  compactionId: idOf('cmp').nullable().describe('By which it can be undone; null when nothing was pruned'),
});
export type PruneData = Shape<typeof prunedSchema>;

/** Tokens of the next request by kind. Summed, they are `currentTokens` when nothing was reported yet. */
export const breakdownSchema = z
  .strictObject({
    instructions: count,
    tools: count,
    user: count,
    situation: count.describe('What the app told of the site and the moment, and what was selected'),
    assistant: count,
    reasoning: count,
    toolCalls: count,
    toolResults: count,
    media: count,
    summary: count,
  })
  .register(components, { id: 'ContextBreakdown' });
export type ContextBreakdown = Shape<typeof breakdownSchema>;

export const tokenSource = z.enum(['reported', 'estimated']);

/** The state of a session's context for one model (GET /api/sessions/{id}/context, `data-context`). */
export const contextUsageSchema = z.strictObject({
  modelId: z.string().min(1),
  contextWindow: count,
  outputReserve: count,
  usableTokens: count,
  currentTokens: count,
  /** One decimal. */
  percentUsed: z.number().min(0).describe('Of usable, 0 to above 100'),
  availableTokens: count,
  isOverflow: z.boolean(),
  source: tokenSource,
  breakdown: breakdownSchema,
  messageCount: count,
  /** Share of the newest request that the provider read from its cache; null where none says so. */
  cachedShare: z.number().min(0).max(1).nullable(),
  cost: z
    .strictObject({
      /** Cost of the newest step in the context; null where the provider does not say. */
      lastStep: z.number().nullable(),
      /** Cost of the whole session, summaries included. */
      total: z.number().nullable(),
    })
    .describe('US dollars'),
  /** Advice to the user about the model's limits (unknown model, not loaded); null when they are sure. */
  warning: z.string().nullable(),
});
type FullUsage = Shape<typeof contextUsageSchema>;
/** `cost.total` is left out of what a step prepares. */
export type ContextUsage = Omit<FullUsage, 'cost'> & {
  readonly cost: Pick<FullUsage['cost'], 'lastStep'> & Partial<FullUsage['cost']>;
};

const queueItemSchema = z.strictObject({
  id: idOf('que'),
  text: z.string(),
  /** Names of what is attached. */
  files: z.array(z.string()),
  createdAt: time,
  /**
   * The reason for which it is sent only when somebody says so; null, or left out by events from before: it is sent
   * in its turn.
   */
  heldReason: z.enum(holdReasons).nullable().optional(),
});

/** A waiting message as clients see it. */
export function toQueueItem({ id, parts, createdAt, heldReason }: QueuedMessage): Shape<typeof queueItemSchema> {
  return { id, text: writtenText(parts), files: fileNames(parts), createdAt, heldReason };
}

const queueDataSchema = z.strictObject({
  items: z.array(queueItemSchema),
  /** True after a cancel: nothing is sent by itself. */
  held: z.boolean(),
});
export type QueueData = Shape<typeof queueDataSchema>;

/** A waiting message in GET /api/message/queue. */
export const queuedItemSchema = queueItemSchema
  .extend({
    text: z.string().describe('Empty where only files were sent'),
    files: z.array(z.string().min(1)),
    modelId: z.string().nullable(),
    heldReason: z
      .enum(holdReasons)
      .nullable()
      .describe('Why it is sent only when somebody says so: the API key that it came with holds no more'),
  })
  .register(components, { id: 'QueuedMessage' });
/** A waiting message in answers of the API: with its model, too. */
export function toQueuedItem(message: QueuedMessage): Shape<typeof queuedItemSchema> {
  const { modelId, heldReason } = message;
  return { ...toQueueItem(message), modelId, heldReason };
}

export const queueSchema = queueDataSchema.extend({
  items: z.array(queuedItemSchema),
  held: z.boolean().describe('After a cancel: nothing is sent by itself'),
});

/** Schema of the data of each event that GET /api/sessions/{id}/events sends, by event name. */
export const sessionEventSchemas = {
  'message:queued': z.strictObject({ id: idOf('que'), position: z.number().int().min(1) }),
  'message:dequeued': z.strictObject({
    count: z.number().int().min(1),
    ids: z.array(idOf('que')),
    coalesced: z.boolean(),
  }),
  'queue:changed': queueDataSchema,
  'compaction:start': compactionStartSchema,
  'compaction:complete': compactionCompleteSchema,
  'compaction:failed': compactionFailedSchema,
  'prune:complete': prunedSchema,
  /** A compaction or prune was taken back. */
  'compaction:undone': z.strictObject({ compactionId: idOf('cmp'), strategy: z.string().min(1) }),
  /** A lasting wish of the user was kept or let go. */
  'wishes:changed': z.strictObject({ kept: count }),
  'context:usage': contextUsageSchema,
  'turn:start': z.strictObject({ turnId: idOf('trn'), messageId: idOf('msg') }),
  'turn:end': z.strictObject({
    turnId: idOf('trn'),
    status: z.enum(turnStatuses).exclude(['running']),
    error: z.string().nullable(),
  }),
} as const;
export type SessionEventName = keyof typeof sessionEventSchemas;
export type SessionEventData = {
  readonly [Name in Exclude<SessionEventName, 'context:usage'>]: Shape<(typeof sessionEventSchemas)[Name]>;
} & { readonly 'context:usage': ContextUsage };

/** Every name, for clients that listen to each. */
export const sessionEventNames = Object.keys(sessionEventSchemas) as [SessionEventName, ...SessionEventName[]];

/** One stored event; `id` grows within the whole installation and is the `id:` of its SSE message. */
export type SessionEvent = {
  [Name in SessionEventName]: {
    readonly id: number;
    readonly sessionId: string;
    readonly name: Name;
    readonly data: SessionEventData[Name];
    readonly createdAt: number;
  };
}[SessionEventName];

/** Our typed data parts in the UI message stream: `data-compaction`, `data-prune`, `data-context`, `data-queue`, `data-waiting`. */
export interface ThroughlineDataParts extends Record<string, unknown> {
  compaction: CompactionData;
  prune: PruneData;
  context: ContextUsage;
  queue: QueueData;
  waiting: WaitingData;
}

/** The provider asked for a pause: the model is called again after it. */
export interface WaitingData {
  readonly retryAfterMs: number;
}

/**
 * Wake-up calls between whoever changes the store and whoever waits for the change, in this process or (with Redis)
 * in all of them. A signal carries nothing but its topic: what has happened is read from the store, so one that is lost,
 * late or repeated does no harm.
 */
export interface Signals {
  /** Never throws and never waits. */
  notify(topic: string): void;
  /** Calls `listener` at every signal until the returned function is called. */
  subscribe(topic: string, listener: () => void): () => void;
  close(): Promise<void>;
}

/** The rights of somebody have changed. */
export const rightsTopic = (userId: string) => `rights:${userId}`;
/** The session's events have grown. */
export const eventsTopic = (sessionId: string) => `events:${sessionId}`;
/** The events of some session have grown. */
export const ALL_EVENTS_TOPIC = 'events';
/** More of the session's running turn is stored, or it has ended. */
export const turnTopic = (sessionId: string) => `turn:${sessionId}`;
/** The session's running turn is to be cancelled. */
export const cancelTopic = (sessionId: string) => `cancel:${sessionId}`;
/** The administrator's settings have changed. Without a session: installations that share a Redis reload once too often. */
export const settingsTopic = 'settings';
/** The tool servers that the administrator set up have changed. Of no session, like the settings. */
export const mcpServersTopic = 'mcp-servers';
/** The connected sites, or which of them is active, have changed. Of no session, like the settings. */
export const sitesTopic = 'sites';
/** The providers that are connected, or their keys, have changed. Of no session, like the settings. */
export const providersTopic = 'providers';

/** Silent streams send a comment this often: proxies and clients see that they are alive; milliseconds. */
export const HEARTBEAT_MS = 15_000;
