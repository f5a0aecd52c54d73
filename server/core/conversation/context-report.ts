import { z } from 'zod';
import { compactionSchema } from '#server/core/conversation/compactions';
import { CHARTED_COMPACTIONS, REPORTED_COMPACTIONS } from '#server/core/limits';
import { breakdownSchema, contextUsageSchema, tokenSource } from '#server/core/conversation/events';
import { messageRoles } from '#server/core/conversation/messages';
import { modelMessageSchema } from '#server/core/conversation/model-messages';
import { sessionSchema } from '#server/core/conversation/sessions';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Tokens of a session's context at one moment: after a step, a prune or a compaction. */
const sampleSchema = z
  .strictObject({
    id: z.number().int().min(1).describe('Number of the sample; increases with time'),
    turnId: idOf('trn').nullable().describe('Id of the turn that was measured; null: measured outside of a turn'),
    modelId: z.string().min(1).describe('Id of the model that the figures are for'),
    contextWindow: count.describe('Maximum tokens of the model at that time'),
    usableTokens: count.describe('Tokens that a request could fill at that time'),
    currentTokens: count.describe('Tokens of the next request at that time'),
    source: tokenSource,
    breakdown: breakdownSchema,
    createdAt: time,
  })
  .describe("Tokens of a session's context at one moment: after a step, a prune or a compaction")
  .register(components, { id: 'ContextSample' });
export type ContextSample = Shape<typeof sampleSchema>;

/** A session's current context (GET /api/sessions/{id}/context). */
export const contextSchema = contextUsageSchema
  .extend({
    prunableTokens: count.describe('Tokens that a prune would free'),
    compactionCount: sessionSchema.shape.compactionCount,
    lastCompactionAt: sessionSchema.shape.lastCompactionAt,
    currentlyCompacting: sessionSchema.shape.currentlyCompacting,
    compactingSince: sessionSchema.shape.compactingSince,
    compactions: z
      .array(compactionSchema)
      .max(REPORTED_COMPACTIONS)
      .describe('The newest compactions and prunes, newest first'),
  })
  .register(components, { id: 'SessionContext' });
export type SessionContext = Shape<typeof contextSchema>;

/**
 * A session's context over time (GET /api/sessions/{id}/context/history); both lists oldest first, with the newest
 * compactions.
 */
export const contextHistorySchema = z
  .strictObject({
    samples: z.array(sampleSchema).describe('Measurements, oldest first'),
    compactions: z
      .array(compactionSchema)
      .max(CHARTED_COMPACTIONS)
      .describe('The newest compactions and prunes, oldest first'),
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
    characters: count.describe('Length of the whole text, characters'),
    tokens: count.describe('Tokens of the part'),
    isCleared: z.boolean().describe('True for a tool output that was cleared completely or except for an excerpt'),
  })
  .describe('A part of a message in the next request')
  .register(components, { id: 'RequestPart' });
export type RequestPart = Shape<typeof requestPartSchema>;

/** A message in the next request. */
const requestMessageSchema = z
  .strictObject({
    role: z.enum(messageRoles).describe('Who the message is from, for the model'),
    isSummary: z.boolean().describe('True if it replaces compacted messages'),
    tokens: count.describe('Tokens of the message'),
    parts: z.array(requestPartSchema).describe('Its parts in order'),
  })
  .describe('A message in the next request')
  .register(components, { id: 'RequestMessage' });
export type RequestMessage = Shape<typeof requestMessageSchema>;

/** Exactly what the next step would send, with the cost of each piece (GET /api/sessions/{id}/context/request). */
export const nextRequestSchema = z
  .strictObject({
    modelId: z.string().min(1).describe('Id of the model that the request is for'),
    tokens: count.describe("Sum of the following, calibrated like the engine's counts"),
    instructions: z
      .strictObject({
        text: z.string().min(1).describe('The instructions (system prompt)'),
        tokens: count.describe('Their tokens'),
      })
      .describe('Instructions (system prompt) and their size'),
    tools: z
      .strictObject({
        names: z.array(z.string().min(1)).describe('Names of the tools'),
        tokens: count.describe('Tokens of their definitions'),
      })
      .describe('The tools that the model may call, and the size of their definitions'),
    messages: z.array(requestMessageSchema).describe('The messages of the request in order'),
  })
  .register(components, { id: 'NextRequest' });
export type NextRequest = Shape<typeof nextRequestSchema>;

/** A message that a compaction kept unchanged in the view, with its first words. */
const keptSchema = z
  .strictObject({
    messageId: idOf('msg'),
    role: z.enum(messageRoles).describe('Who the message is from'),
    preview: z.string().describe('Its first words, on one line'),
  })
  .describe('A message that a compaction kept unchanged in the view')
  .register(components, { id: 'KeptMessage' });
export type KeptMessage = Shape<typeof keptSchema>;

/** A tool output that a prune cleared from the view; for an attached image of the user, `toolName` is the file name. */
const clearedSchema = z
  .strictObject({
    partId: idOf('prt'),
    toolName: z.string().min(1).describe('Name of the tool; for an attached file its name or media type'),
    tokens: count.describe('Tokens before it was cleared'),
  })
  .describe('A tool output, tool input or file that a prune cleared from the view')
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
        text: z.string().min(1).describe('The complete text that the model reads'),
        ledger: z.array(z.string().min(1)).describe('The part that code writes: what was done, one line each'),
        userWords: z
          .array(z.string().min(1))
          .describe('Words of the user that it contains verbatim, the original request first'),
      })
      .nullable()
      .describe('Null for prunes and failures'),
    kept: z.array(keptSchema).describe('Messages that the view kept unchanged, in order'),
    cleared: z.array(clearedSchema).describe('What a prune cleared, in order; empty for compactions'),
    canUndo: z.boolean().describe('True if it can be undone now'),
  })
  .register(components, { id: 'CompactionDetail' });
export type CompactionDetail = Shape<typeof compactionDetailSchema>;

components.add(modelMessageSchema, { id: 'ModelMessage' });

/** Response if there was nothing to compact. */
export const skippedSchema = z
  .strictObject({
    status: z.literal('skipped').describe('Nothing was done'),
    reason: z.literal('nothing_to_compact').describe('There was nothing to compact'),
  })
  .register(components, { id: 'CompactionSkipped' });

/** POST /api/sessions/{id}/compact */
export const compactOutcomeSchema = z
  .union([compactionSchema, skippedSchema])
  .register(components, { id: 'CompactOutcome' });

/** Response to cancelling a compaction; false: none was running. */
export const compactCancelledSchema = z
  .strictObject({ cancelled: z.boolean().describe('False: no compaction was running') })
  .register(components, { id: 'CompactionCancelled' });

/** The messages that a model would receive. */
export const viewSchema = z
  .strictObject({
    messages: z
      .array(modelMessageSchema)
      .describe('The messages that a model would receive next, without instructions'),
  })
  .register(components, { id: 'ContextMessages' });

/** Response of POST /api/sessions/{id}/prepare: a conversation that fits the context window of its model. */
export const preparedSchema = z
  .strictObject({
    instructions: z.string().describe('The system messages that were appended so far; empty if there were none'),
    messages: z.array(modelMessageSchema).describe('The messages to send to the model, within its usable tokens'),
    wasPruned: z.boolean().describe('True if tool outputs were cleared for this request'),
    wasCompacted: z.boolean().describe('True if messages were replaced by a summary for this request'),
    tokens: z
      .strictObject({
        before: count.describe('As sent'),
        afterPrune: count.describe('After old tool outputs were cleared'),
        afterCompact: count.describe('After the compaction, if there was one'),
        final: count.describe('Of the returned messages with instructions and tools'),
      })
      .describe('Tokens of the request after each stage'),
    debug: z
      .strictObject({
        prunedOutputs: count.describe('Number of tool outputs, inputs and images that were cleared'),
        compactedMessages: count.describe('Number of messages that the summary replaces'),
        removedTools: z.array(z.string()).describe('Names of the tools to which only compacted messages referred'),
      })
      .describe('What was left out of the request'),
  })
  .register(components, { id: 'PreparedConversation' });
