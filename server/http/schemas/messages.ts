import { z } from 'zod';
import { partContentSchemas } from '#server/core/parts';
import { components } from '#server/http/schemas/components';
import { count, idOf, pageOf, time } from '#server/http/schemas/fields';

const partFields = {
  id: idOf('prt'),
  messageId: idOf('msg'),
  sessionId: idOf('ses'),
  order: count,
  state: z.enum(['pending', 'running', 'completed', 'error']),
  tokens: count.nullable(),
  originalTokens: count.nullable().describe('Before it was cleared; null while it was not'),
  compactedAt: time.nullable().describe('When its output was cleared from what the model sees'),
  excerptChars: count.nullable(),
  createdAt: time,
};
const partOf = <T extends keyof typeof partContentSchemas>(type: T) =>
  z.strictObject({ ...partFields, type: z.literal(type), content: partContentSchemas[type] });

const partSchema = z
  .discriminatedUnion('type', [
    partOf('text'),
    partOf('reasoning'),
    partOf('tool-call'),
    partOf('tool-result'),
    partOf('file'),
    partOf('step-start'),
    partOf('compaction-marker'),
  ])
  .register(components, { id: 'Part' });

export const messageSchema = z
  .strictObject({
    id: idOf('msg'),
    sessionId: idOf('ses'),
    seq: z.number().int().min(1).describe('Its place in the session'),
    role: z.enum(['user', 'assistant', 'tool']),
    status: z.enum(['streaming', 'complete', 'interrupted', 'failed']),
    isSummary: z.boolean(),
    parentId: idOf('msg').nullable(),
    turnId: idOf('trn').nullable(),
    modelId: z.string().nullable(),
    finishReason: z.string().nullable(),
    error: z.string().nullable(),
    usage: z.looseObject({ inputTokens: count, outputTokens: count }).nullable(),
    metadata: z
      .strictObject({
        coalesced: z.literal(true),
        messageCount: z.number().int().min(2),
        originalMessages: z.array(z.union([idOf('que'), idOf('msg')])).min(2),
        firstQueuedAt: time,
        lastQueuedAt: time,
      })
      .nullable()
      .describe('Of several messages that were queued and sent as one'),
    supersededBy: idOf('msg').nullable(),
    createdAt: time,
    parts: z.array(partSchema),
  })
  .register(components, { id: 'Message' });

/** As the chat of the AI SDK shows it (`format=ui`). */
const uiMessageSchema = z
  .looseObject({
    id: z.string(),
    role: z.enum(['user', 'assistant', 'system']),
    metadata: z.looseObject({}).optional(),
    parts: z.array(z.looseObject({ type: z.string() })),
  })
  .register(components, { id: 'UiMessage' });

export const messagePageSchema = z.union([pageOf(messageSchema), pageOf(uiMessageSchema)]);
