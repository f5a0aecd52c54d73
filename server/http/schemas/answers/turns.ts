import { z } from 'zod';
import { content } from '#server/http/answer';
import { effectSchema } from '#server/http/schemas/answers/changes';
import { count, idOf, json, listOf } from '#server/http/schemas/answers/fields';

/** What POST /api/chat and GET /api/chat/{id}/stream send. */
export const turnStream = content(
  'text/event-stream',
  'The chunks of the AI SDK\'s UI message stream (`data: {"type": "text-delta", …}`, in the end `data: [DONE]`), with `data-compaction`, `data-prune`, `data-context` and `data-queue` of our own.',
);

export const cancelledSchema = z.strictObject({
  /** Whether no turn runs any more; false: it was told to stop and has not ended yet. */
  cancelled: z.boolean(),
  persisted: z.enum(['partial_assistant', 'tools_in_progress']).nullable(),
});

export const approvalsSchema = listOf(
  z.strictObject({
    partId: idOf('prt'),
    sessionId: idOf('ses'),
    turnId: idOf('trn'),
    toolCallId: z.string().min(1),
    toolName: z.string().min(1),
    input: json,
    effect: effectSchema.nullable(),
    status: z.literal('pending'),
    reason: z.null(),
    decidedAt: z.null(),
  }),
);

export const decidedSchema = z.strictObject({ pending: count, resumed: z.boolean() });
