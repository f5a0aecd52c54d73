import { z } from 'zod';
import { count, idOf, time } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

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
