import { z } from 'zod';
import type { SessionEventName } from '#server/core/events';
import { modelMessageSchema } from '#server/core/model-messages';
import { partContentSchemas } from '#server/core/parts';

/* The REST contract's answers, strict: a field too many is a change of the contract too. */

const time = z.number().int().min(1_600_000_000_000);
const count = z.number().int().min(0);
const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));

export const sessionSchema = z.strictObject({
  id: id('ses'),
  title: z.string().min(1),
  modelId: z.string().nullable(),
  ownerId: z.string().min(1),
  instructions: z.string().nullable(),
  compactionCount: count,
  lastCompactionAt: time.nullable(),
  currentlyCompacting: z.boolean(),
  compactingSince: time.nullable(),
  createdAt: time,
  updatedAt: time,
});

const partFields = {
  id: id('prt'),
  messageId: id('msg'),
  sessionId: id('ses'),
  order: count,
  state: z.enum(['pending', 'running', 'completed', 'error']),
  tokens: count.nullable(),
  originalTokens: count.nullable(),
  compactedAt: time.nullable(),
  excerptChars: count.nullable(),
  createdAt: time,
};
const partOf = <T extends keyof typeof partContentSchemas>(type: T) =>
  z.strictObject({ ...partFields, type: z.literal(type), content: partContentSchemas[type] });

export const messageSchema = z.strictObject({
  id: id('msg'),
  sessionId: id('ses'),
  seq: z.number().int().min(1),
  role: z.enum(['user', 'assistant', 'tool']),
  status: z.enum(['streaming', 'complete', 'interrupted', 'failed']),
  isSummary: z.boolean(),
  parentId: id('msg').nullable(),
  turnId: id('trn').nullable(),
  modelId: z.string().nullable(),
  finishReason: z.string().nullable(),
  error: z.string().nullable(),
  usage: z.looseObject({ inputTokens: count, outputTokens: count }).nullable(),
  metadata: z
    .strictObject({
      coalesced: z.literal(true),
      messageCount: z.number().int().min(2),
      originalMessages: z.array(z.union([id('que'), id('msg')])).min(2),
      firstQueuedAt: time,
      lastQueuedAt: time,
    })
    .nullable(),
  createdAt: time,
  parts: z.array(
    z.discriminatedUnion('type', [
      partOf('text'),
      partOf('reasoning'),
      partOf('tool-call'),
      partOf('tool-result'),
      partOf('file'),
      partOf('step-start'),
      partOf('compaction-marker'),
    ]),
  ),
});

export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().min(1).nullable() });

export const compactionSchema = z.strictObject({
  id: id('cmp'),
  sessionId: id('ses'),
  round: z.number().int().min(1),
  strategy: z.string().min(1),
  trigger: z.string().min(1),
  status: z.enum(['completed', 'failed', 'undone']),
  tokensBefore: count,
  tokensAfter: count,
  messagesCompacted: count,
  compactedMessageIds: z.array(id('msg')),
  prunedPartIds: z.array(id('prt')),
  keptBeforeSummary: z.array(id('msg')),
  keptAfterSummary: z.array(id('msg')),
  firstKeptMessageId: id('msg').nullable(),
  summaryMessageId: id('msg').nullable(),
  modelId: z.string().nullable(),
  contextWindow: count.nullable(),
  durationMs: count,
  usage: z.looseObject({}).nullable(),
  error: z.string().nullable(),
  createdAt: time,
});

export const contextSchema = z.strictObject({
  modelId: z.string().min(1),
  contextWindow: count,
  outputReserve: count,
  usableTokens: count,
  currentTokens: count,
  percentUsed: z.number().min(0),
  availableTokens: count,
  isOverflow: z.boolean(),
  source: z.enum(['reported', 'estimated']),
  breakdown: z.strictObject({
    instructions: count,
    tools: count,
    user: count,
    assistant: count,
    reasoning: count,
    toolCalls: count,
    toolResults: count,
    media: count,
    summary: count,
  }),
  messageCount: count,
  cachedShare: z.number().min(0).max(1).nullable(),
  cost: z.strictObject({ lastStep: z.number().nullable(), total: z.number().nullable() }),
  warning: z.string().nullable(),
  prunableTokens: count,
  compactionCount: count,
  lastCompactionAt: time.nullable(),
  currentlyCompacting: z.boolean(),
  compactingSince: time.nullable(),
  compactions: z.array(compactionSchema),
});

export const viewSchema = z.strictObject({ messages: z.array(modelMessageSchema) });

export const preparedSchema = z.strictObject({
  messages: z.array(modelMessageSchema),
  wasPruned: z.boolean(),
  wasCompacted: z.boolean(),
  tokens: z.strictObject({ before: count, afterPrune: count, afterCompact: count, final: count }),
  debug: z.strictObject({ prunedOutputs: count, compactedMessages: count, removedTools: z.array(z.string()) }),
});

export const importedSchema = z.strictObject({ messages: count, parts: count, tokens: count });
export const prunedSchema = z.strictObject({
  outputsPruned: count,
  tokensSaved: count,
  prunedTools: z.array(z.string()),
});
export const skippedSchema = z.strictObject({
  status: z.literal('skipped'),
  reason: z.literal('nothing_to_compact'),
});
export const queuedSchema = z.strictObject({
  queued: z.literal(true),
  position: z.number().int().min(1),
  id: id('que'),
});
/** POST /api/message/queue: a place in the queue, or (position 0) the message of the turn that has started. */
export const enqueuedSchema = z.union([
  queuedSchema,
  z.strictObject({ queued: z.literal(false), position: z.literal(0), id: id('msg') }),
]);
export const queuedItemSchema = z.strictObject({
  id: id('que'),
  text: z.string().min(1),
  createdAt: time,
  modelId: z.string().nullable(),
});
export const queueSchema = z.strictObject({ items: z.array(queuedItemSchema), held: z.boolean() });
export const clearedSchema = z.strictObject({ removed: count });
export const startedSchema = z.strictObject({ started: z.boolean() });
export const cancelledSchema = z.strictObject({
  cancelled: z.literal(true),
  persisted: z.enum(['partial_assistant', 'tools_in_progress']).nullable(),
});
export const approvalsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      partId: id('prt'),
      sessionId: id('ses'),
      turnId: id('trn'),
      toolCallId: z.string().min(1),
      toolName: z.string().min(1),
      input: z.json(),
      status: z.literal('pending'),
      reason: z.null(),
      decidedAt: z.null(),
    }),
  ),
});
export const decidedSchema = z.strictObject({ pending: count, resumed: z.boolean() });
export const modelsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      contextWindow: count,
      maxOutputTokens: count,
      known: z.boolean(),
      warning: z.string().nullable(),
      provider: z.string(),
    }),
  ),
  defaultModelId: z.string(),
});

const compactionReason = z.enum([
  'overflow',
  'threshold',
  'manual',
  'tool-response',
  'real-time',
  'provider-overflow',
  'background',
]);
/** The data of every event of GET /api/sessions/{id}/events, by name. */
export const sessionEventSchemas = {
  'message:queued': z.strictObject({ id: id('que'), position: z.number().int().min(1) }),
  'message:dequeued': z.strictObject({
    count: z.number().int().min(1),
    ids: z.array(id('que')),
    coalesced: z.boolean(),
  }),
  'queue:changed': z.strictObject({
    items: z.array(z.strictObject({ id: id('que'), text: z.string(), createdAt: time })),
    held: z.boolean(),
  }),
  'compaction:start': z.strictObject({ tokensBefore: count, modelLimit: count, reason: compactionReason }),
  'compaction:complete': z.strictObject({
    tokensBefore: count,
    tokensAfter: count,
    messagesCompacted: count,
    wasPruned: z.boolean(),
    wasSummarized: z.boolean(),
    round: z.number().int().min(1),
    compactionId: id('cmp'),
    strategy: z.string().min(1),
    durationMs: count,
  }),
  'compaction:failed': z.strictObject({ message: z.string().min(1) }),
  'prune:complete': prunedSchema,
  'context:usage': contextSchema.omit({
    prunableTokens: true,
    compactionCount: true,
    lastCompactionAt: true,
    currentlyCompacting: true,
    compactingSince: true,
    compactions: true,
  }),
  'turn:start': z.strictObject({ turnId: id('trn'), messageId: id('msg') }),
  'turn:end': z.strictObject({
    turnId: id('trn'),
    status: z.enum(['completed', 'failed', 'interrupted', 'cancelled', 'waiting_approval']),
    error: z.string().nullable(),
  }),
} as const satisfies Record<SessionEventName, z.ZodType>;
