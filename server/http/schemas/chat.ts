import { valueRules } from '#server/core/value-rules';
import { z } from 'zod';
import type { Principal } from '#server/core/admin/access-rights';
import { TooLargeError } from '#server/core/errors';
import { attachmentPath } from '#server/core/conversation/part-types/blobs';
import { MAX_FILES, MAX_REASON_CHARS } from '#server/core/limits';
import { approvalIdSchema, approvalPolicies } from '#server/core/conversation/approvals';
import { previewSchema, zoneSchema } from '#server/core/conversation/part-types/situation';
import { components, count } from '#server/core/shapes';
import { hasVisibleText } from '#server/core/text/visible-text';
import { content } from '#server/http/schemas/route-answer';
import { messageIdSchema, modelIdSchema, sessionIdSchema } from '#server/http/schemas/sessions';

/* Requests of the chat: messages, the queue, approvals. */

/**
 * Maximum characters of a message: about 16,000 tokens of English. That is more than people write, and less than the
 * context windows of common models.
 */
const MAX_MESSAGE_CHARS = 64_000;
/** Maximum characters of selected text: about 1,000 tokens, a long section. */
const MAX_SELECTION_CHARS = 4_000;

const textPart = z
  .looseObject({ type: z.literal('text').describe('A text'), text: z.string().describe('What the user wrote') })
  .describe('A text in a message')
  .register(components, { id: 'UserTextPart' });

/** A user's message whose files have addresses of this form. Of other properties of a file only its name is used. */
const userMessageWith = (url: z.ZodString) =>
  z.looseObject({
    role: z.literal('user').describe('The message is from the user'),
    parts: z
      .array(
        z.discriminatedUnion('type', [textPart, z.looseObject({ type: z.literal('file').describe('A file'), url })]),
      )
      .min(1)
      .max(50)
      .refine(
        (parts) => parts.some((part) => part.type === 'file' || hasVisibleText(part.text)),
        valueRules.saySomething,
      )
      .refine(
        (parts) => parts.filter(({ type }) => type === 'file').length <= MAX_FILES,
        `has more than ${MAX_FILES} files`,
      )
      .describe('Texts and files in order; at least one text with a visible character, or a file'),
  });

/**
 * A user's message in the format of the AI SDK's chat. Its id is the client's; the server assigns another id when it
 * stores the message.
 */
export const userMessageSchema = userMessageWith(
  z
    .string()
    .regex(/^\/api\/attachments\/blb_[0-9a-z]{26}$/, 'is not the address of an attachment')
    .describe('`url` of an attachment of the session, from `POST /api/sessions/{id}/attachments`'),
)
  .describe('A message in the form of the AI SDK')
  .register(components, { id: 'UserMessage' });

/** The user's message of a `useChat` body: files may be data URLs. */
export const hookMessageSchema = userMessageWith(
  z
    .string()
    .regex(
      /^(?:\/api\/attachments\/blb_[0-9a-z]{26}$|data:)/,
      'is neither a data URL nor the address of an attachment',
    ),
);

/** What the sender's screen shows (`here`); the app reports it to the assistant together with the message. */
const hereSchema = z
  .strictObject({
    preview: previewSchema.optional().describe('Page that is open in the preview, and the section chosen on it'),
    zone: zoneSchema.optional().describe("Time zone, such as Europe/Berlin. Default: the server's"),
    selection: z
      .strictObject({
        text: z.string().min(1).max(MAX_SELECTION_CHARS).describe('The selected text'),
        source: z.string().min(1).max(200).describe('Place that it was selected at, such as /about'),
      })
      .optional()
      .describe('Text that the sender has selected on a page; absent: none'),
  })
  .describe('What the sender looks at, told to the assistant as information')
  .register(components, { id: 'SenderScreen' });

/** Choices for the turn of a message. */
const turnFields = {
  here: hereSchema.optional(),
  modelId: modelIdSchema
    .optional()
    .describe('Id of the model of this turn, from `GET /api/models`; absent: the model of the session'),
  approvals: z
    .enum(approvalPolicies)
    .optional()
    .describe(
      'What becomes of calls that need approval: they wait (default), count as approved by the sender, or are denied',
    ),
};

/** The choices of a request, and the rights of its sender, as a turn takes them. */
export function turnChoices(
  { here = {}, modelId, approvals }: z.infer<z.ZodObject<typeof turnFields>>,
  { scopes, keyId }: Principal,
) {
  return { here, modelId: modelId ?? null, approvalPolicy: approvals, scopes, keyId };
}

/** Fields of every request that sends a message. */
const sendFields = {
  message: userMessageSchema,
  ...turnFields,
  clientRequestId: z.string().min(1).max(200).optional().describe('The same id again starts nothing new'),
};

/** Sends a message and starts a turn. */
const chatBody = z
  .strictObject({
    id: sessionIdSchema,
    ...sendFields,
    replaces: z
      .strictObject({
        messageId: messageIdSchema,
        undoChanges: z.boolean().optional().describe('Also takes back what its turn did to the site. Default false.'),
      })
      .optional()
      .describe('Sends the message in the place of the newest one: that and all that followed is superseded'),
  })
  .register(components, { id: 'ChatMessageBody' });

/** 16 MB: a message with pictures as data URLs, and a long history, which is not read. */
export const HOOK_BODY_BYTES = 16_000_000;
/** More than a page shows: a long conversation here has 5,000 messages, a long answer about 2,000 parts. */
const MAX_HOOK_MESSAGES = 10_000;
const MAX_HOOK_PARTS = 10_000;
/** Maximum characters of an id that a client gives a message. */
const MAX_CLIENT_ID_CHARS = 200;

/**
 * The body that `useChat` of the AI SDK sends by default. Of its messages only the last request, or the decisions of
 * the last answer, are read: the history is the server's.
 */
const hookBody = z
  .strictObject({
    id: sessionIdSchema,
    messages: z
      .array(
        z.looseObject({
          id: z.string().min(1).max(MAX_CLIENT_ID_CHARS).describe('Id that the client gave the message'),
          role: z.enum(['user', 'assistant', 'system']).describe('Who the message is from'),
          parts: z
            .array(z.looseObject({ type: z.string().describe('Kind of the part, as in the AI SDK') }))
            .max(MAX_HOOK_PARTS)
            .describe('Parts in the form of the AI SDK'),
        }),
      )
      .min(1)
      .max(MAX_HOOK_MESSAGES)
      .describe('The last user message is sent, or the decisions of the last answer; the history is not read'),
    trigger: z
      .enum(['submit-message', 'regenerate-message'])
      .describe(
        '`submit-message`: sends the last message or its decisions. `regenerate-message`: answers the newest request again',
      ),
    messageId: z
      .string()
      .min(1)
      .max(MAX_CLIENT_ID_CHARS)
      .optional()
      .describe('The request that is edited, or the answer that is regenerated; only the newest'),
    ...turnFields,
    onDisconnect: z
      .literal('cancel')
      .optional()
      .describe('Stops the turn when the client closes the connection, for pages that never resume'),
  })
  .register(components, { id: 'UseChatBody' });
export type HookBody = z.infer<typeof hookBody>;

/** The bodies that POST /api/chat accepts. */
export const anyChatBody = z.union([chatBody, hookBody]).register(components, { id: 'ChatBody' });

/** A call that was decided in a `useChat` page; the decision of the parts of the last answer. */
export const decidedPartSchema = z.looseObject({
  state: z.literal('approval-responded'),
  approval: z.looseObject({
    id: approvalIdSchema,
    approved: z.boolean(),
    reason: z.string().trim().max(MAX_REASON_CHARS).optional(),
  }),
});

/**
 * Texts and attachments of a message, part by part; empty texts are left out.
 * @throws TooLargeError above 64,000 characters
 */
export function contentOf({ parts }: z.infer<typeof userMessageSchema>): {
  readonly texts: string[];
  /** Ids of the attachments. */
  readonly files: string[];
} {
  const texts = parts.flatMap((part) => (part.type === 'text' && hasVisibleText(part.text) ? [part.text] : []));
  if (texts.join('').length > MAX_MESSAGE_CHARS) throw new TooLargeError('message', MAX_MESSAGE_CHARS, 'characters');
  const files = parts.flatMap((part) => (part.type === 'file' ? [part.url.slice(attachmentPath('').length)] : []));
  return { texts, files };
}

export const queueQuery = z.object({ sessionId: sessionIdSchema });

export const queuedParams = z.object({
  id: z.string().regex(/^que_[0-9a-z]{26}$/, 'is not the id of a queued message'),
});

/** Adds a message to the queue. */
export const enqueueBody = z
  .strictObject({ sessionId: sessionIdSchema, ...sendFields })
  .register(components, { id: 'EnqueueBody' });

export const editQueuedBody = z
  .strictObject({ message: userMessageSchema })
  .register(components, { id: 'EditQueuedBody' });

/** Number of queued messages that were removed. */
export const clearedSchema = z
  .strictObject({ removed: count.describe('Number of messages that were removed from the queue') })
  .register(components, { id: 'QueueCleared' });
/** Whether a turn was started. */
export const startedSchema = z
  .strictObject({
    started: z.boolean().describe('False: no turn was started, because nothing waits or one runs already'),
  })
  .register(components, { id: 'TurnStarted' });

/** Response of POST /api/chat and GET /api/chat/{id}/stream. */
export const turnStream = content(
  'text/event-stream',
  'The chunks of the AI SDK\'s UI message stream (`data: {"type": "text-delta", …}`, in the end `data: [DONE]`), with `data-compaction`, `data-prune`, `data-context`, `data-queue` and `data-waiting` of our own.',
);

/** A decision names the stored call and the effect that was shown; `toolCallId` alone identifies neither. */
const decision = z
  .strictObject({
    approvalId: approvalIdSchema,
    approved: z.boolean().describe('True: the call runs. False: it is denied'),
    reason: z.string().trim().min(1).max(MAX_REASON_CHARS).optional().describe('What the model hears of a denial'),
  })
  .register(components, { id: 'ApprovalDecision' });

const decisions = z
  .array(decision)
  .min(1)
  .max(100)
  .refine((list) => new Set(list.map(({ approvalId }) => approvalId)).size === list.length, valueRules.callTwice);

export const approvalParams = z.object({ id: sessionIdSchema, approvalId: approvalIdSchema });

export const approvalsBody = z
  .strictObject({ decisions: decisions.describe('One decision for each call') })
  .register(components, { id: 'ApprovalDecisionsBody' });
