import { z } from 'zod';
import { type NewPart, type Part, partSchema } from '#server/core/conversation/parts';
import { components, count, idOf, pageOf, type Shape, time } from '#server/core/shapes';
import { type CodedMessage, codedMessageSchema } from '#server/core/messages/coded-message';

/** Who a message is from, for models. */
export const messageRoles = ['user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof messageRoles)[number];

/** States of a stored message; all but `streaming` are final. */
export const messageStatuses = ['streaming', 'complete', 'interrupted', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];

/**
 * Tokens that one step used, as the provider reported them. `inputTokens` is the whole request, including cache reads
 * and writes; `cost` is in US dollars, if the provider reports it.
 */
export const usageSchema = z
  .object({
    inputTokens: z.number(),
    outputTokens: z.number(),
    cacheReadTokens: z.number().optional(),
    cacheWriteTokens: z.number().optional(),
    reasoningTokens: z.number().optional(),
    cost: z.number().optional(),
    fixedCount: z
      .number()
      .optional()
      .describe(
        'Our own (uncalibrated) count of the instructions and tool definitions in the input, because these may differ at the next step',
      ),
    viewKey: z
      .string()
      .optional()
      .describe(
        'Key of the view that was sent (viewKeyOf in server/context/current-tokens): for another view, the report says nothing',
      ),
  })
  .register(components, { id: 'TokenUsage' });
export type Usage = z.infer<typeof usageSchema>;

/** From which queued messages a user message was joined. Stored with the message as `metadata`. */
const coalescedMetadataSchema = z
  .strictObject({
    coalesced: z.literal(true),
    messageCount: z.number().int().min(2),
    originalMessages: z
      .array(z.union([idOf('que'), idOf('msg')]))
      .min(2)
      .describe(
        'Ids of the messages in the queue, in order; the newest, if it was never queued, has the id of the message itself',
      ),
    firstQueuedAt: time,
    lastQueuedAt: time,
  })
  .register(components, { id: 'CoalescedMetadata' });
export type CoalescedMetadata = Shape<typeof coalescedMetadataSchema>;

/** One stored message with its parts in order. */
export const messageSchema = z
  .strictObject({
    id: idOf('msg'),
    sessionId: idOf('ses'),
    seq: z.number().int().min(1).describe('Its place in the session'),
    role: z.enum(messageRoles),
    status: z.enum(messageStatuses),
    isSummary: z.boolean().describe("A compaction's summary: hidden from the transcript, first in the view"),
    parentId: idOf('msg').nullable().describe('The user message that this message answers'),
    turnId: idOf('trn').nullable(),
    modelId: z.string().nullable(),
    finishReason: z.string().nullable(),
    error: z.string().nullable(),
    errorMessage: codedMessageSchema.nullable().describe('`error` as data; null if it has no code'),
    usage: usageSchema.nullable(),
    metadata: coalescedMetadataSchema.nullable().describe('Of several messages that were queued and sent as one'),
    supersededBy: idOf('msg')
      .nullable()
      .describe(
        "The user message that replaced this one's; null: not superseded. The view contains only messages that are not superseded",
      ),
    createdAt: time,
    parts: z.array(partSchema),
  })
  .register(components, { id: 'Message' });
export type Message = Omit<Shape<typeof messageSchema>, 'parts'> & { readonly parts: readonly Part[] };

/** A message before it is stored. */
export interface NewMessage extends MessageDraft {
  readonly parts: readonly NewPart[];
}

/** A message before it has parts. */
export interface MessageDraft {
  readonly id?: string;
  readonly role: MessageRole;
  readonly status?: MessageStatus;
  readonly parentId?: string | null;
  readonly turnId?: string | null;
  readonly modelId?: string | null;
  readonly finishReason?: string | null;
  readonly error?: string | null;
  readonly errorMessage?: CodedMessage | null;
  readonly usage?: Usage | null;
  readonly metadata?: CoalescedMetadata | null;
}

/** A message in the form that the AI SDK's chat uses (`format=ui`). */
export const uiMessageSchema = z
  .looseObject({
    id: z.string(),
    role: z.enum(['user', 'assistant', 'system']),
    metadata: z.looseObject({}).optional(),
    parts: z.array(z.looseObject({ type: z.string() })),
  })
  .register(components, { id: 'UiMessage' });
export type UiMessage = Shape<typeof uiMessageSchema>;

/** A page of messages, in stored form (`format=rich`) or in that of the AI SDK (`format=ui`). */
export const messagePageSchema = z
  .union([
    pageOf(messageSchema).register(components, { id: 'StoredMessagePage' }),
    pageOf(uiMessageSchema)
      .extend({
        newestEvent: count
          .optional()
          .describe('With the newest page: id of the event after which everything that is not in it is told'),
      })
      .register(components, { id: 'UiMessagePage' }),
  ])
  .register(components, { id: 'MessagePage' });
