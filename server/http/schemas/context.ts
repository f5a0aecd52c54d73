import { z } from 'zod';
import { modelMessageSchema } from '#server/core/model-messages';
import { components } from '#server/http/schemas/components';
import { count, idOf, time } from '#server/http/schemas/fields';

export const compactionSchema = z
  .strictObject({
    id: idOf('cmp'),
    sessionId: idOf('ses'),
    round: z.number().int().min(1),
    strategy: z.string().min(1),
    trigger: z.string().min(1),
    status: z.enum(['completed', 'failed', 'undone']),
    tokensBefore: count,
    tokensAfter: count,
    messagesCompacted: count,
    compactedMessageIds: z.array(idOf('msg')),
    prunedPartIds: z.array(idOf('prt')),
    keptBeforeSummary: z.array(idOf('msg')),
    keptAfterSummary: z.array(idOf('msg')),
    firstKeptMessageId: idOf('msg').nullable(),
    summaryMessageId: idOf('msg').nullable(),
    modelId: z.string().nullable(),
    contextWindow: count.nullable(),
    durationMs: count,
    usage: z.looseObject({}).nullable(),
    error: z.string().nullable(),
    createdAt: time,
  })
  .register(components, { id: 'Compaction' });

export const compactionDetailSchema = z.strictObject({
  compaction: compactionSchema,
  summary: z
    .strictObject({
      text: z.string().min(1),
      ledger: z.array(z.string().min(1)),
      userWords: z.array(z.string().min(1)),
    })
    .nullable(),
  kept: z.array(
    z.strictObject({ messageId: idOf('msg'), role: z.enum(['user', 'assistant', 'tool']), preview: z.string() }),
  ),
  cleared: z.array(z.strictObject({ partId: idOf('prt'), toolName: z.string().min(1), tokens: count })),
  canUndo: z.boolean(),
});

/** There was nothing to compact. */
export const skippedSchema = z.strictObject({
  status: z.literal('skipped'),
  reason: z.literal('nothing_to_compact'),
});

export const prunedSchema = z.strictObject({
  outputsPruned: count,
  tokensSaved: count,
  prunedTools: z.array(z.string()),
  compactionId: idOf('cmp').nullable().describe('By which it can be undone; null when nothing was pruned'),
});

/** Whether there was one to stop. */
export const compactCancelledSchema = z.strictObject({ cancelled: z.boolean() });

components.add(modelMessageSchema, { id: 'ModelMessage' });

const breakdownSchema = z
  .strictObject({
    instructions: count,
    tools: count,
    user: count,
    assistant: count,
    reasoning: count,
    toolCalls: count,
    toolResults: count,
    media: count,
    summary: count,
  })
  .register(components, { id: 'ContextBreakdown' });

const source = z.enum(['reported', 'estimated']);

export const contextUsageSchema = z.strictObject({
  modelId: z.string().min(1),
  contextWindow: count,
  outputReserve: count,
  usableTokens: count,
  currentTokens: count,
  percentUsed: z.number().min(0).describe('Of usable, 0 to above 100'),
  availableTokens: count,
  isOverflow: z.boolean(),
  source,
  breakdown: breakdownSchema,
  messageCount: count,
  cachedShare: z.number().min(0).max(1).nullable(),
  cost: z.strictObject({ lastStep: z.number().nullable(), total: z.number().nullable() }).describe('US dollars'),
  warning: z.string().nullable(),
});

export const contextSchema = contextUsageSchema.extend({
  prunableTokens: count,
  compactionCount: count,
  lastCompactionAt: time.nullable(),
  currentlyCompacting: z.boolean(),
  compactingSince: time.nullable(),
  compactions: z.array(compactionSchema),
});

export const contextHistorySchema = z.strictObject({
  samples: z.array(
    z.strictObject({
      id: z.number().int().min(1),
      turnId: idOf('trn').nullable(),
      modelId: z.string().min(1),
      contextWindow: count,
      usableTokens: count,
      currentTokens: count,
      source,
      breakdown: breakdownSchema,
      createdAt: time,
    }),
  ),
  compactions: z.array(compactionSchema),
});

export const nextRequestSchema = z.strictObject({
  modelId: z.string().min(1),
  tokens: count,
  instructions: z.strictObject({ text: z.string().min(1), tokens: count }),
  tools: z.strictObject({ names: z.array(z.string().min(1)), tokens: count }),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant', 'tool']),
      isSummary: z.boolean(),
      tokens: count,
      parts: z.array(
        z.strictObject({
          type: z.enum(['text', 'reasoning', 'tool-call', 'tool-result', 'image', 'file']),
          toolName: z.string().min(1).nullable(),
          text: z.string().max(20_000),
          characters: count,
          tokens: count,
          isCleared: z.boolean(),
        }),
      ),
    }),
  ),
});

export const viewSchema = z.strictObject({ messages: z.array(modelMessageSchema) });

export const preparedSchema = z.strictObject({
  instructions: z.string().min(1),
  messages: z.array(modelMessageSchema),
  wasPruned: z.boolean(),
  wasCompacted: z.boolean(),
  tokens: z.strictObject({ before: count, afterPrune: count, afterCompact: count, final: count }),
  debug: z.strictObject({ prunedOutputs: count, compactedMessages: count, removedTools: z.array(z.string()) }),
});
