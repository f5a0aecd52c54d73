import { z } from 'zod';
import { approvalSchema } from '#server/core/conversation/approvals';
import { uiMessageSchema } from '#server/core/conversation/messages';
import { holdReasons, type QueuedMessage, turnStatuses } from '#server/core/conversation/turns';
import { fileNames, writtenText } from '#server/core/conversation/part-text';
import { sessionSchema } from '#server/core/conversation/sessions';
import type { PartBody } from '#server/core/conversation/parts';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';
import { codedMessageSchema } from '#server/core/coded-message';

/* Events of a session, the data that they contain, and the signals that announce them. */

/** Reasons why a compaction runs. */
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

const compactionStartSchema = z
  .strictObject({
    tokensBefore: count.describe('Tokens of the next request before the compaction'),
    modelLimit: count.describe('Context window of the model, tokens'),
    reason: z.enum(compactionReasons).describe('What caused it'),
  })
  .register(components, { id: 'CompactionStarted' });
const compactionCompleteSchema = z
  .strictObject({
    tokensBefore: count.describe('Tokens of the next request before the compaction'),
    tokensAfter: count.describe('Tokens of the next request afterwards'),
    messagesCompacted: count.describe('Number of messages that the summary replaces'),
    wasPruned: z.boolean().describe('True if old tool outputs were cleared first'),
    wasSummarized: z.boolean().describe('True if a model wrote the summary; false: code did'),
    round: z.number().int().min(1).describe("1 for the session's first compaction"),
    compactionId: idOf('cmp'),
    strategy: z.string().min(1).describe('Name of the strategy that made the summary'),
    durationMs: count.describe('Run time in milliseconds'),
  })
  .register(components, { id: 'CompactionCompleted' });
const compactionFailedSchema = z
  .strictObject({
    message: z.string().min(1).describe('Why no summary was made, for people'),
    reason: codedMessageSchema.nullable().optional().describe('`message` as data; null or missing if it has no code'),
  })
  .register(components, { id: 'CompactionFailed' });

/** Data of `data-compaction`: a summary is being written, is complete, or failed. Tokens are calibrated estimates. */
export type CompactionStart = Shape<typeof compactionStartSchema> & { readonly phase: 'start' };
/** A completed compaction. */
export type CompactionComplete = Shape<typeof compactionCompleteSchema> & { readonly phase: 'complete' };
/** A failed compaction. */
export type CompactionFailed = Shape<typeof compactionFailedSchema> & { readonly phase: 'failed' };
/** What happens in a compaction. */
export type CompactionData = CompactionStart | CompactionComplete | CompactionFailed;

/** Result of a prune. */
export const prunedSchema = z
  .strictObject({
    outputsPruned: count.describe('Number of tool outputs that were cleared from the view'),
    tokensSaved: count.describe('Tokens by which the next request is smaller'),
    prunedTools: z.array(z.string()).describe('Names of the tools whose outputs were cleared'),
    compactionId: idOf('cmp').nullable().describe('By which it can be undone; null when nothing was pruned'),
  })
  .register(components, { id: 'PruneResult' });
export type PruneData = Shape<typeof prunedSchema>;

/** Tokens of the next request by kind. Their sum is `currentTokens` while the provider has reported no count. */
export const breakdownSchema = z
  .strictObject({
    instructions: count.describe('Instructions (system prompt)'),
    tools: count.describe('Definitions of the tools'),
    user: count.describe('Messages of the user'),
    situation: count.describe('What the app told of the site and the moment, and what was selected'),
    assistant: count.describe('Texts of the assistant'),
    reasoning: count.describe('Reasoning of the model'),
    toolCalls: count.describe('Tool calls with their inputs'),
    toolResults: count.describe('Outputs of tools'),
    media: count.describe('Images and other files'),
    summary: count.describe('Summaries of compacted messages'),
  })
  .describe('Tokens of the next request by kind. Their sum is `currentTokens` while `source` is `estimated`')
  .register(components, { id: 'ContextBreakdown' });
export type ContextBreakdown = Shape<typeof breakdownSchema>;

/** Source of a token count: the provider's report, or our estimate. */
export const tokenSource = z
  .enum(['reported', 'estimated'])
  .describe(
    "Source of `currentTokens`: the provider's report of the newest step plus an estimate of what was added since, or an estimate alone",
  );

/** The state of a session's context for one model (GET /api/sessions/{id}/context, `data-context`). */
export const contextUsageSchema = z
  .strictObject({
    modelId: z.string().min(1).describe('Id of the model that the figures are for'),
    contextWindow: count.describe('Maximum tokens of the model for request and answer together'),
    outputReserve: count.describe('Tokens of the window that are kept free for the answer'),
    usableTokens: count.describe(
      'Tokens that a request may fill: the window without the output reserve, and at most a set share of it',
    ),
    currentTokens: count.describe('Tokens of the next request'),
    /** With one decimal. */
    percentUsed: z
      .number()
      .min(0)
      .describe('Share of `usableTokens` that the next request fills, in percent with one decimal; may exceed 100'),
    availableTokens: count.describe('Usable tokens that are left; 0 if there are none'),
    isOverflow: z
      .boolean()
      .describe('True if `currentTokens` exceeds `usableTokens`: the next request is made smaller first'),
    source: tokenSource,
    breakdown: breakdownSchema,
    messageCount: count.describe('Number of messages in the next request'),
    cachedShare: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Share of the newest request that the provider read from its cache; null if it does not report that'),
    cost: z
      .strictObject({
        lastStep: z
          .number()
          .nullable()
          .describe('Cost of the newest step in the context; null if the provider does not report it'),
        total: z.number().nullable().describe('Cost of the whole session, including summaries'),
      })
      .describe('US dollars'),
    warning: z
      .string()
      .nullable()
      .describe(
        "Note to the user about the model's limits (unknown model, limits not loaded); null if they are certain",
      ),
    warningMessage: codedMessageSchema.optional().describe('`warning` as data'),
  })
  .describe('What fills the context window of a model in a session')
  .register(components, { id: 'ContextUsage' });
type FullUsage = Shape<typeof contextUsageSchema>;
/** The same as an event of a step reports it: without `cost.total`. */
export type ContextUsage = Omit<FullUsage, 'cost'> & {
  readonly cost: Pick<FullUsage['cost'], 'lastStep'> & Partial<FullUsage['cost']>;
};

const queueItemSchema = z
  .strictObject({
    id: idOf('que'),
    text: z.string().describe('Text of the message; empty where only files were sent'),
    files: z.array(z.string()).describe('Names of the attached files'),
    createdAt: time,
    heldReason: z
      .enum(holdReasons)
      .nullable()
      .optional()
      .describe('The reason why it is sent only by a person; null, or absent in older events: it is sent in its turn'),
  })
  .describe('A message that waits for the running turn')
  .register(components, { id: 'QueueItem' });

/** Converts a queued message to the form of events. */
export function toQueueItem({ id, parts, createdAt, heldReason }: QueuedMessage): Shape<typeof queueItemSchema> {
  return { id, text: writtenText(parts), files: fileNames(parts), createdAt, heldReason };
}

const queueDataSchema = z
  .strictObject({
    items: z.array(queueItemSchema).describe('Waiting messages in the order in which they are sent'),
    held: z.boolean().describe('True after a cancel: nothing is sent automatically'),
  })
  .describe('The waiting messages of a session')
  .register(components, { id: 'QueueState' });
export type QueueData = Shape<typeof queueDataSchema>;

/** A queued message in GET /api/message/queue. */
export const queuedItemSchema = queueItemSchema
  .extend({
    text: z.string().describe('Empty where only files were sent'),
    files: z.array(z.string().min(1)).describe('Names of the attached files'),
    modelId: z.string().nullable().describe("Id of the model that was chosen for it; null: the session's"),
    heldReason: z
      .enum(holdReasons)
      .nullable()
      .describe('Why it is sent only when somebody says so: the API key that it came with holds no more'),
  })
  .register(components, { id: 'QueuedMessage' });
/** Converts a queued message to the form of the REST API, including its model. */
export function toQueuedItem(message: QueuedMessage): Shape<typeof queuedItemSchema> {
  const { modelId, heldReason } = message;
  return { ...toQueueItem(message), modelId, heldReason };
}

/** The queue in GET /api/message/queue. */
export const queueSchema = queueDataSchema
  .extend({
    items: z.array(queuedItemSchema).describe('Waiting messages in the order in which they are sent'),
    held: z.boolean().describe('After a cancel: nothing is sent by itself'),
  })
  .register(components, { id: 'MessageQueue' });

const errorMessage = codedMessageSchema
  .nullable()
  .optional()
  .describe('`error` as data; null or missing if it has no code');

/** A turn as the feed shows it. */
const turnStateSchema = z
  .strictObject({
    id: idOf('trn'),
    messageId: idOf('msg').describe("The user's message that it answers"),
    status: z
      .enum(turnStatuses)
      .describe(
        '`interrupted`: the server stopped. `cancelled`: the user stopped it. `waiting_approval`: calls wait for a decision',
      ),
    error: z.string().nullable().describe('Why the turn failed, for people; null: it did not'),
    errorMessage,
  })
  .describe('The newest turn of a session')
  .register(components, { id: 'TurnState' });
export type TurnState = Shape<typeof turnStateSchema>;

/**
 * Whole messages, as `GET /api/sessions/{id}/messages?format=ui` has them, that an event has added or changed. Read when
 * the event is sent; they are not part of the stored event.
 */
const messages = z
  .array(uiMessageSchema)
  .optional()
  .describe(
    'Whole messages that this event has added or changed, as `GET /api/sessions/{id}/messages?format=ui` has them; absent: none',
  );
/** All calls that wait for a decision, as `GET /api/sessions/{id}/approvals` has them. Read when the event is sent. */
const approvals = z
  .array(approvalSchema)
  .optional()
  .describe('All calls that wait for a decision now; absent: unchanged');

/** Schema of the data of each event in GET /api/sessions/{id}/events, by event name. */
export const sessionEventSchemas = {
  snapshot: z
    .strictObject({
      messages: z
        .array(uiMessageSchema)
        .describe('The newest messages, as `GET /api/sessions/{id}/messages?format=ui` has them'),
      nextCursor: z.string().nullable().describe('`cursor` for the messages before; null: there are none'),
      turn: turnStateSchema.nullable().describe('The newest turn; null: there was none'),
      queue: queueDataSchema,
      approvals: z.array(approvalSchema).describe('Calls that wait for a decision'),
      compactingSince: sessionSchema.shape.compactingSince,
      context: contextUsageSchema.nullable().describe('What fills the window of the model; null: not measured yet'),
    })
    .describe('The whole state: for a client that missed events which are no longer kept, and after an import'),
  'message:queued': z.strictObject({
    id: idOf('que'),
    position: z.number().int().min(1).describe('Position in the queue, from 1'),
  }),
  'message:dequeued': z.strictObject({
    count: z.number().int().min(1).describe('Number of messages that left the queue'),
    ids: z.array(idOf('que')).describe('Ids that they had in the queue'),
    coalesced: z.boolean().describe('True if they were joined to one message'),
  }),
  'queue:changed': queueDataSchema,
  'compaction:start': compactionStartSchema.extend({
    since: time.optional().describe('When it began, epoch milliseconds'),
  }),
  'compaction:complete': compactionCompleteSchema.extend({ messages }),
  'compaction:failed': compactionFailedSchema,
  'prune:complete': prunedSchema.extend({ messages }),
  'compaction:undone': z
    .strictObject({
      compactionId: idOf('cmp'),
      strategy: z.string().min(1).describe('Name of the strategy, or `prune`'),
      messages,
    })
    .describe('A compaction or prune was undone'),
  'approvals:changed': z
    .strictObject({ approvals: z.array(approvalSchema).describe('Calls that still wait for a decision'), messages })
    .describe('A call was decided while others still wait'),
  'wishes:changed': z
    .strictObject({ kept: count.describe('Number of preferences that are kept now') })
    .describe('A preference of the user was added or removed'),
  'context:usage': contextUsageSchema,
  'turn:start': z.strictObject({
    turnId: idOf('trn'),
    messageId: idOf('msg').describe("Id of the user's message that it answers"),
    replaces: idOf('msg')
      .optional()
      .describe('The message in whose place this one was sent: it and all later ones are gone'),
    messages,
    approvals,
  }),
  'turn:end': z.strictObject({
    turnId: idOf('trn'),
    status: z
      .enum(turnStatuses)
      .exclude(['running'])
      .describe('How the turn ended; `waiting_approval`: it continues after a decision'),
    error: turnStateSchema.shape.error,
    errorMessage,
    messages,
    approvals,
  }),
} as const;
export type SessionEventName = keyof typeof sessionEventSchemas;
/** The data of each event, by its name. */
export type SessionEventData = {
  readonly [Name in Exclude<SessionEventName, 'context:usage' | 'snapshot'>]: Shape<(typeof sessionEventSchemas)[Name]>;
} & { readonly 'context:usage': ContextUsage; readonly snapshot: Snapshot };
type Snapshot = Omit<Shape<(typeof sessionEventSchemas)['snapshot']>, 'context'> & {
  readonly context: ContextUsage | null;
};

/** All event names, for clients that subscribe to each. */
export const sessionEventNames = Object.keys(sessionEventSchemas) as [SessionEventName, ...SessionEventName[]];

/** One stored event; `id` increases within the whole installation and is the `id:` of its SSE message. */
export type SessionEvent = {
  [Name in SessionEventName]: {
    readonly id: number;
    readonly sessionId: string;
    readonly name: Name;
    readonly data: SessionEventData[Name];
    readonly createdAt: number;
  };
}[SessionEventName];

/** Our typed data parts in the UI message stream: `data-compaction`, `data-prune`, `data-context`, `data-queue`, `data-waiting`, `data-part`. */
export interface ThroughlineDataParts extends Record<string, unknown> {
  compaction: CompactionData;
  prune: PruneData;
  context: ContextUsage;
  queue: QueueData;
  waiting: WaitingData;
  part: PartBody;
}

/** Why an answer has not begun yet. */
export interface WaitingData {
  /** Pause that the provider asked for, after which the model is called again. 0: none. */
  readonly retryAfterMs: number;
  /**
   * `queued`: the model server answers another request first. `loading`: it loads the model. `tools-left-out`: it
   * refuses the definitions of `tools`, so the request is sent without them. `sent`: the server has the request now.
   */
  readonly reason?: 'queued' | 'loading' | 'tools-left-out' | 'sent';
  /** Names of tools. */
  readonly tools?: readonly string[];
}

/**
 * Notifications from code that changes the database to code that waits for the change, in this process or (with Redis) in
 * all processes. A signal contains only its topic, and the receiver reads the database, so a lost, late or repeated signal
 * does no harm.
 */
export interface Signals extends SignalChannel {
  close(): Promise<void>;
}

/** Sends signals and listens to them. */
export interface SignalChannel extends SignalListening {
  /** Sends a signal. Never throws and never waits. */
  notify(topic: string): void;
}

/** Listens to signals. */
export interface SignalListening {
  /** True while signals of all processes arrive here; false soon after one of them has lost its connection to Redis. */
  readonly isShared: boolean;
  /** Calls `listener` at every signal until the returned function is called. */
  subscribe(topic: string, listener: () => void): () => void;
}

/** Topic: the rights of a user have changed. */
export const rightsTopic = (userId: string) => `rights:${userId}`;
/** Topic: the session has new events. */
export const eventsTopic = (sessionId: string) => `events:${sessionId}`;
/** Topic: any session has new events. */
export const ALL_EVENTS_TOPIC = 'events';
/** Topic: the session's running turn is to be cancelled. */
export const cancelTopic = (sessionId: string) => `cancel:${sessionId}`;
/**
 * Topic: the administrator's settings have changed. Not specific to an installation: installations that share a Redis reload
 * without need.
 */
export const settingsTopic = 'settings';
/** Topic: the administrator's tool servers have changed. Not specific to an installation, like the settings. */
export const mcpServersTopic = 'mcp-servers';
/**
 * Topic: the connected sites, or which of them is active, have changed. Not specific to an installation, like the settings.
 */
export const sitesTopic = 'sites';
/** Topic: the connected providers, or their keys, have changed. Not specific to an installation, like the settings. */
export const providersTopic = 'providers';

/**
 * Interval of comments in idle event streams; milliseconds. They keep proxies from closing the stream, which many do after
 * 30 or 60 seconds.
 */
export const HEARTBEAT_MS = 15_000;
