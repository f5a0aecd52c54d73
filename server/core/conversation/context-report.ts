import { z } from 'zod';
import { compactionSchema } from '#server/core/conversation/compactions';
import { CHARTED_COMPACTIONS, REPORTED_COMPACTIONS } from '#server/core/limits';
import { breakdownSchema, contextUsageSchema, tokenSource } from '#server/core/conversation/events';
import { messageRoles } from '#server/core/conversation/messages';
import { modelMessageSchema } from '#server/core/conversation/model-messages';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Tokens of a session's context at one moment: after a step, a prune or a compaction. */
const sampleSchema = z
  .strictObject({
    id: z.number().int().min(1),
    turnId: idOf('trn').nullable(),
    modelId: z.string().min(1),
    contextWindow: count,
    usableTokens: count,
    currentTokens: count,
    source: tokenSource,
    breakdown: breakdownSchema,
    createdAt: time,
  })
  .register(components, { id: 'ContextSample' });
export type ContextSample = Shape<typeof sampleSchema>;

/** A session's current context (GET /api/sessions/{id}/context). */
export const contextSchema = contextUsageSchema
  .extend({
    prunableTokens: count.describe('Tokens that a prune would free'),
    compactionCount: count,
    lastCompactionAt: time.nullable(),
    currentlyCompacting: z.boolean(),
    compactingSince: time.nullable(),
    compactions: z
      .array(compactionSchema)
      .max(REPORTED_COMPACTIONS)
      .describe('Newest first, at most `REPORTED_COMPACTIONS`'),
  })
  .register(components, { id: 'SessionContext' });
export type SessionContext = Shape<typeof contextSchema>;

/**
 * A session's context over time (GET /api/sessions/{id}/context/history); both lists oldest first, with the newest
 * compactions.
 */
export const contextHistorySchema = z
  .strictObject({
    samples: z.array(sampleSchema),
    compactions: z.array(compactionSchema).max(CHARTED_COMPACTIONS),
  })
  .register(components, { id: 'ContextHistory' });
export type ContextHistory = Shape<typeof contextHistorySchema>;

/** A part of a message in the next request. */
const requestPartSchema = z
  .strictObject({
    type: z
      .enum(['text', 'reasoning', 'tool-call', 'tool-result', 'image', 'file'])
      .describe('Type as sent to the provider'),
    toolName: z.string().min(1).nullable().describe('Name of the called tool'),
    text: z
      .string()
      .max(20_000)
      .describe('Text that the model reads, cut for display; `characters` is the full length'),
    characters: count,
    tokens: count,
    isCleared: z.boolean().describe('True for a tool output that was cleared completely or except for an excerpt'),
  })
  .register(components, { id: 'RequestPart' });
export type RequestPart = Shape<typeof requestPartSchema>;

/** A message in the next request. */
const requestMessageSchema = z
  .strictObject({
    role: z.enum(messageRoles),
    isSummary: z.boolean().describe('True if it replaces compacted messages'),
    tokens: count,
    parts: z.array(requestPartSchema),
  })
  .register(components, { id: 'RequestMessage' });
export type RequestMessage = Shape<typeof requestMessageSchema>;

/** Exactly what the next step would send, with the cost of each piece (GET /api/sessions/{id}/context/request). */
export const nextRequestSchema = z
  .strictObject({
    modelId: z.string().min(1),
    tokens: count.describe("Sum of the following, calibrated like the engine's counts"),
    instructions: z.strictObject({ text: z.string().min(1), tokens: count }),
    tools: z.strictObject({ names: z.array(z.string().min(1)), tokens: count }),
    messages: z.array(requestMessageSchema),
  })
  .register(components, { id: 'NextRequest' });
export type NextRequest = Shape<typeof nextRequestSchema>;

/** A message that a compaction kept unchanged in the view, with its first words. */
const keptSchema = z
  .strictObject({ messageId: idOf('msg'), role: z.enum(messageRoles), preview: z.string() })
  .register(components, { id: 'KeptMessage' });
export type KeptMessage = Shape<typeof keptSchema>;

/** A tool output that a prune cleared from the view; for an attached image of the user, `toolName` is the file name. */
const clearedSchema = z
  .strictObject({ partId: idOf('prt'), toolName: z.string().min(1), tokens: count })
  .register(components, { id: 'ClearedOutput' });
export type ClearedOutput = Shape<typeof clearedSchema>;

/**
 * One compaction or prune with all data that it created and kept (GET /api/sessions/{id}/compactions/{compactionId}).
 */
export const compactionDetailSchema = z
  .strictObject({
    compaction: compactionSchema,
    summary: z
      .strictObject({
        /** The complete text that the model reads. */
        text: z.string().min(1),
        /** The part that code writes: what was done, line by line. */
        ledger: z.array(z.string().min(1)),
        /** Words of the user that it contains verbatim, the original request first. */
        userWords: z.array(z.string().min(1)),
      })
      .nullable()
      .describe('Null for prunes and failures'),
    kept: z.array(keptSchema),
    cleared: z.array(clearedSchema),
    canUndo: z.boolean().describe('True if it can be undone now'),
  })
  .register(components, { id: 'CompactionDetail' });
export type CompactionDetail = Shape<typeof compactionDetailSchema>;

components.add(modelMessageSchema, { id: 'ModelMessage' });

/** Response if there was nothing to compact. */
export const skippedSchema = z
  .strictObject({
    status: z.literal('skipped'),
    reason: z.literal('nothing_to_compact'),
  })
  .register(components, { id: 'CompactionSkipped' });

/** POST /api/sessions/{id}/compact */
export const compactOutcomeSchema = z
  .union([compactionSchema, skippedSchema])
  .register(components, { id: 'CompactOutcome' });

/** Response to cancelling a compaction; false: none was running. */
export const compactCancelledSchema = z
  .strictObject({ cancelled: z.boolean() })
  .register(components, { id: 'CompactionCancelled' });

/** The messages that a model would receive. */
export const viewSchema = z
  .strictObject({ messages: z.array(modelMessageSchema) })
  .register(components, { id: 'ContextMessages' });

/** Response of POST /api/sessions/{id}/prepare: a conversation that fits the context window of its model. */
export const preparedSchema = z
  .strictObject({
    instructions: z.string().describe('The system messages that were appended so far; empty if there were none'),
    messages: z.array(modelMessageSchema),
    wasPruned: z.boolean(),
    wasCompacted: z.boolean(),
    tokens: z.strictObject({ before: count, afterPrune: count, afterCompact: count, final: count }),
    debug: z.strictObject({ prunedOutputs: count, compactedMessages: count, removedTools: z.array(z.string()) }),
  })
  .register(components, { id: 'PreparedConversation' });
