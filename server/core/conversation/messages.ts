import { z } from 'zod';
import {
  type NewPart,
  type Part,
  partSchema,
  type ToolCallPart,
  type ToolResultPart,
} from '#server/core/conversation/parts';
import { components, count, idOf, pageOf, type Shape, time } from '#server/core/shapes';
import { type CodedMessage, codedMessageSchema } from '#server/core/coded-message';

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
    inputTokens: z
      .number()
      .describe('Tokens of the whole request, including those that the provider read from or wrote to its cache'),
    outputTokens: z.number().describe('Tokens of the answer, including reasoning'),
    cacheReadTokens: z
      .number()
      .optional()
      .describe('Input tokens that the provider read from its cache; absent: not reported'),
    cacheWriteTokens: z
      .number()
      .optional()
      .describe('Input tokens that the provider wrote to its cache; absent: not reported'),
    reasoningTokens: z.number().optional().describe('Output tokens that were reasoning; absent: not reported'),
    cost: z.number().optional().describe('US dollars; absent: the provider does not report it'),
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
  .describe('Tokens of one model call, as the provider reported them')
  .register(components, { id: 'TokenUsage' });
export type Usage = z.infer<typeof usageSchema>;

/** From which queued messages a user message was joined. Stored with the message as `metadata`. */
const coalescedMetadataSchema = z
  .strictObject({
    coalesced: z.literal(true).describe('Always true: the message was joined from several'),
    messageCount: z.number().int().min(2).describe('Number of messages that were joined'),
    originalMessages: z
      .array(z.union([idOf('que'), idOf('msg')]))
      .min(2)
      .describe(
        'Ids of the messages in the queue, in order; the newest, if it was never queued, has the id of the message itself',
      ),
    firstQueuedAt: time.describe('When the first of them was queued, epoch milliseconds'),
    lastQueuedAt: time.describe('When the last of them was queued, epoch milliseconds'),
  })
  .describe('From which queued messages a user message was joined')
  .register(components, { id: 'CoalescedMetadata' });
export type CoalescedMetadata = Shape<typeof coalescedMetadataSchema>;

/** One stored message with its parts in order. */
export const messageSchema = z
  .strictObject({
    id: idOf('msg'),
    sessionId: idOf('ses'),
    seq: z.number().int().min(1).describe('Its place in the session'),
    role: z.enum(messageRoles).describe('Who the message is from, for models; `tool`: results of tool calls'),
    status: z
      .enum(messageStatuses)
      .describe(
        '`streaming`: still being written; the others are final. `interrupted`: the server or the user stopped it',
      ),
    isSummary: z.boolean().describe("A compaction's summary: hidden from the transcript, first in the view"),
    parentId: idOf('msg').nullable().describe('The user message that this message answers'),
    turnId: idOf('trn')
      .nullable()
      .describe('Id of the turn that it belongs to; null: none, as for imported messages and summaries'),
    modelId: z.string().nullable().describe('Id of the model that wrote it; null: no model did'),
    finishReason: z
      .string()
      .nullable()
      .describe(
        'Why the model stopped: `stop`, `length`, `tool-calls`, `cancelled` or another reason of the provider; null: unknown or no answer of a model',
      ),
    error: z.string().nullable().describe('Why the answer failed, for people; null: it did not'),
    errorMessage: codedMessageSchema.nullable().describe('`error` as data; null if it has no code'),
    usage: usageSchema.nullable().describe('Tokens of the model call that wrote it; null: no call, or not reported'),
    metadata: coalescedMetadataSchema.nullable().describe('Of several messages that were queued and sent as one'),
    supersededBy: idOf('msg')
      .nullable()
      .describe(
        "The user message that replaced this one's; null: not superseded. The view contains only messages that are not superseded",
      ),
    createdAt: time,
    parts: z.array(partSchema).describe('Its parts in order'),
  })
  .describe('One stored message')
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
    id: z.string().describe('Id of the message; answers of several steps have that of their first'),
    role: z.enum(['user', 'assistant', 'system']).describe('Who the message is from'),
    metadata: z
      .looseObject({})
      .optional()
      .describe(
        'Facts about the message that are not content: `createdAt`, `status`, `turnId`, `modelId`, `finishReason`, `error` and others',
      ),
    parts: z
      .array(
        z.looseObject({
          type: z
            .string()
            .describe(
              'Kind of the part in the AI SDK, such as `text`, `tool-<name>` or `data-compaction`; its other fields depend on it',
            ),
        }),
      )
      .describe('Its parts in order, in the form of the AI SDK'),
  })
  .describe('A message in the form of the AI SDK (`UIMessage`). All steps of a turn are one message')
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

/**
 * Finds the result of every tool call by the part id of the call: the first later result with its tool call id, before
 * the next call that reuses the id (real transcripts do that). Results without a call are left out.
 */
export function pairToolResults(messages: readonly Message[]): ReadonlyMap<string, ToolResultPart> {
  const pairs = new Map<string, ToolResultPart>();
  const open = new Map<string, ToolCallPart>();
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === 'tool-call') open.set(part.content.toolCallId, part);
    if (part.type !== 'tool-result') continue;
    const call = open.get(part.content.toolCallId);
    if (!call) continue;
    pairs.set(call.id, part);
    open.delete(part.content.toolCallId);
  }
  return pairs;
}
