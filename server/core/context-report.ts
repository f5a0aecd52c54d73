import { z } from 'zod';
import { compactionSchema } from '#server/core/compactions';
import { CHARTED_COMPACTIONS, REPORTED_COMPACTIONS } from '#server/core/engine-words';
import { breakdownSchema, contextUsageSchema, tokenSource } from '#server/core/events';
import { messageRoles } from '#server/core/messages';
import { modelMessageSchema } from '#server/core/model-messages';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Fill of a session's context at one moment: after a step, a prune or a compaction. Tokens. */
const sampleSchema = z.strictObject({
  id: z.number().int().min(1),
  turnId: idOf('trn').nullable(),
  modelId: z.string().min(1),
  contextWindow: count,
  usableTokens: count,
  currentTokens: count,
  source: tokenSource,
  breakdown: breakdownSchema,
  createdAt: time,
});
export type ContextSample = Shape<typeof sampleSchema>;

/** A session's context now (GET /api/sessions/{id}/context). */
export const contextSchema = contextUsageSchema.extend({
  /** Tokens that a prune would free. */
  prunableTokens: count,
  compactionCount: count,
  lastCompactionAt: time.nullable(),
  currentlyCompacting: z.boolean(),
  compactingSince: time.nullable(),
  /** The newest first, at most `REPORTED_COMPACTIONS`. */
  compactions: z.array(compactionSchema).max(REPORTED_COMPACTIONS),
});
export type SessionContext = Shape<typeof contextSchema>;

/** A session's context over time (GET /api/sessions/{id}/context/history); both oldest first, the newest compactions. */
export const contextHistorySchema = z.strictObject({
  samples: z.array(sampleSchema),
  compactions: z.array(compactionSchema).max(CHARTED_COMPACTIONS),
});
export type ContextHistory = Shape<typeof contextHistorySchema>;

const requestPartSchema = z.strictObject({
  /** As the provider gets it. */
  type: z.enum(['text', 'reasoning', 'tool-call', 'tool-result', 'image', 'file']),
  /** Name of the called tool. */
  toolName: z.string().min(1).nullable(),
  /** Text the model reads, cut to what a page can show; `characters` is the whole length. */
  text: z.string().max(20_000),
  characters: count,
  tokens: count,
  /** A tool output that was cleared, whole or but for an excerpt. */
  isCleared: z.boolean(),
});
export type RequestPart = Shape<typeof requestPartSchema>;

const requestMessageSchema = z.strictObject({
  role: z.enum(messageRoles),
  /** Stands for what was compacted. */
  isSummary: z.boolean(),
  tokens: count,
  parts: z.array(requestPartSchema),
});
export type RequestMessage = Shape<typeof requestMessageSchema>;

/** Exactly what the next step would send, with what each piece costs (GET /api/sessions/{id}/context/request). */
export const nextRequestSchema = z.strictObject({
  modelId: z.string().min(1),
  /** Sum of all that follows, calibrated as the engine counts. */
  tokens: count,
  instructions: z.strictObject({ text: z.string().min(1), tokens: count }),
  tools: z.strictObject({ names: z.array(z.string().min(1)), tokens: count }),
  messages: z.array(requestMessageSchema),
});
export type NextRequest = Shape<typeof nextRequestSchema>;

/** A message that a compaction left in the view as it was, with its first words. */
const keptSchema = z.strictObject({ messageId: idOf('msg'), role: z.enum(messageRoles), preview: z.string() });
export type KeptMessage = Shape<typeof keptSchema>;

/** A tool output that a prune cleared from the view; of an image that a user attached, its name is the tool's. */
const clearedSchema = z.strictObject({ partId: idOf('prt'), toolName: z.string().min(1), tokens: count });
export type ClearedOutput = Shape<typeof clearedSchema>;

/** One round with everything it made and kept (GET /api/sessions/{id}/compactions/{compactionId}). */
export const compactionDetailSchema = z.strictObject({
  compaction: compactionSchema,
  /** Null for prunes and failures. */
  summary: z
    .strictObject({
      /** All of it, as the model reads it. */
      text: z.string().min(1),
      /** The part that code keeps: what was done, line by line. */
      ledger: z.array(z.string().min(1)),
      /** Words of the user that it holds verbatim, the original request first. */
      userWords: z.array(z.string().min(1)),
    })
    .nullable(),
  kept: z.array(keptSchema),
  cleared: z.array(clearedSchema),
  /** True if it can be taken back now. */
  canUndo: z.boolean(),
});
export type CompactionDetail = Shape<typeof compactionDetailSchema>;

components.add(modelMessageSchema, { id: 'ModelMessage' });

/** Answer where there was nothing to compact. */
export const skippedSchema = z.strictObject({
  status: z.literal('skipped'),
  reason: z.literal('nothing_to_compact'),
});

/** False: there was none to stop. */
export const compactCancelledSchema = z.strictObject({ cancelled: z.boolean() });

export const viewSchema = z.strictObject({ messages: z.array(modelMessageSchema) });

export const preparedSchema = z.strictObject({
  instructions: z.string().min(1),
  messages: z.array(modelMessageSchema),
  wasPruned: z.boolean(),
  wasCompacted: z.boolean(),
  tokens: z.strictObject({ before: count, afterPrune: count, afterCompact: count, final: count }),
  debug: z.strictObject({ prunedOutputs: count, compactedMessages: count, removedTools: z.array(z.string()) }),
});
