import { z } from 'zod';
import { compactionReasons, type SessionEventName } from '#server/core/events';
import { holdReasons } from '#server/core/messages';
import { contextUsageSchema, prunedSchema } from '#server/http/schemas/context';
import { count, idOf, time } from '#server/http/schemas/fields';

/** The `id:` of an event, as text. */
export const eventIdSchema = z
  .string()
  .regex(/^\d{1,15}$/, 'is not the id of an event')
  .transform(Number);

export const eventsQuery = z.object({
  lastEventId: eventIdSchema
    .optional()
    .describe('Goes on behind this event; the header `Last-Event-ID` says the same and counts more'),
});

/** The data of every event of GET /api/sessions/{id}/events, by name. */
export const sessionEventSchemas = {
  'message:queued': z.strictObject({ id: idOf('que'), position: z.number().int().min(1) }),
  'message:dequeued': z.strictObject({
    count: z.number().int().min(1),
    ids: z.array(idOf('que')),
    coalesced: z.boolean(),
  }),
  'queue:changed': z.strictObject({
    items: z.array(
      z.strictObject({
        id: idOf('que'),
        text: z.string(),
        files: z.array(z.string()),
        createdAt: time,
        heldReason: z.enum(holdReasons).nullable().optional(),
      }),
    ),
    held: z.boolean(),
  }),
  'compaction:start': z.strictObject({ tokensBefore: count, modelLimit: count, reason: z.enum(compactionReasons) }),
  'compaction:complete': z.strictObject({
    tokensBefore: count,
    tokensAfter: count,
    messagesCompacted: count,
    wasPruned: z.boolean(),
    wasSummarized: z.boolean(),
    round: z.number().int().min(1),
    compactionId: idOf('cmp'),
    strategy: z.string().min(1),
    durationMs: count,
  }),
  'compaction:failed': z.strictObject({ message: z.string().min(1) }),
  'prune:complete': prunedSchema,
  'compaction:undone': z.strictObject({ compactionId: idOf('cmp'), strategy: z.string().min(1) }),
  'context:usage': contextUsageSchema,
  'turn:start': z.strictObject({ turnId: idOf('trn'), messageId: idOf('msg') }),
  'turn:end': z.strictObject({
    turnId: idOf('trn'),
    status: z.enum(['completed', 'failed', 'interrupted', 'cancelled', 'waiting_approval']),
    error: z.string().nullable(),
  }),
} as const satisfies Record<SessionEventName, z.ZodType>;
