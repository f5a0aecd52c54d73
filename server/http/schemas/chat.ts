import { z } from 'zod';
import { TooLargeError } from '#server/core/errors';
import { attachmentPath } from '#server/core/files';
import { MAX_FILES } from '#server/core/limits';
import { approvalPolicies } from '#server/core/approvals';
import { previewSchema, zoneSchema } from '#server/core/parts';
import { count } from '#server/core/shapes';
import { hasVisibleText } from '#server/core/visible-text';
import { content } from '#server/http/schemas/answer';
import { messageIdSchema, modelIdSchema, sessionIdSchema } from '#server/http/schemas/sessions';

/** About 16,000 tokens of English: more than any request, less than any window. Characters. */
const MAX_MESSAGE_CHARS = 64_000;
/** About 1,000 tokens of selected text: a long section. */
const MAX_SELECTION_CHARS = 4_000;

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });

/** Only the address of a file counts: what it is, we know ourselves. */
const filePart = z.looseObject({
  type: z.literal('file'),
  url: z.string().regex(/^\/api\/attachments\/blb_[0-9a-z]{26}$/, 'is not the address of an attachment'),
});

/** A user's message as the AI SDK's chat sends it. Its id is the client's; ours is made when it is stored. */
export const userMessageSchema = z.looseObject({
  role: z.literal('user'),
  parts: z
    .array(z.discriminatedUnion('type', [textPart, filePart]))
    .min(1)
    .max(50)
    .refine((parts) => parts.some((part) => part.type === 'file' || hasVisibleText(part.text)), 'must say something')
    .refine(
      (parts) => parts.filter(({ type }) => type === 'file').length <= MAX_FILES,
      `has more than ${MAX_FILES} files`,
    ),
});

/** Screen of a message's sender; the app tells the assistant about it beside the message. */
const hereSchema = z
  .strictObject({
    preview: previewSchema.optional().describe('Page that is open in the preview, and the section chosen on it'),
    zone: zoneSchema.optional().describe("Time zone, such as Europe/Berlin. Default: the server's"),
    selection: z
      .strictObject({
        text: z.string().min(1).max(MAX_SELECTION_CHARS),
        source: z.string().min(1).max(200).describe('Place that it was selected at, such as /about'),
      })
      .optional(),
  })
  .describe('What the sender looks at, told to the assistant as information');

/** Fields of every message that asks for a turn. */
const sendFields = {
  message: userMessageSchema,
  here: hereSchema.optional(),
  modelId: modelIdSchema.optional(),
  approvals: z
    .enum(approvalPolicies)
    .optional()
    .describe(
      'What becomes of calls that need approval: they wait (default), count as approved by the sender, or are denied',
    ),
  clientRequestId: z.string().min(1).max(200).optional().describe('The same id again starts nothing new'),
};

export const chatBody = z.strictObject({
  id: sessionIdSchema,
  ...sendFields,
  replaces: z
    .strictObject({
      messageId: messageIdSchema,
      undoChanges: z.boolean().optional().describe('Also takes back what its turn did to the site. Default false.'),
    })
    .optional()
    .describe('Sends the message in the place of the newest one: that and all that followed is superseded'),
});

/**
 * Texts and attachments of a message, part by part; empty texts are left out.
 * @throws TooLargeError above 64,000 characters
 */
export function contentOf({ parts }: z.infer<typeof userMessageSchema>): {
  readonly texts: string[];
  /** Ids. */
  readonly files: string[];
} {
  const texts = parts.flatMap((part) => (part.type === 'text' && hasVisibleText(part.text) ? [part.text] : []));
  if (texts.join('').length > MAX_MESSAGE_CHARS)
    throw new TooLargeError('The message', MAX_MESSAGE_CHARS, 'characters');
  const files = parts.flatMap((part) => (part.type === 'file' ? [part.url.slice(attachmentPath('').length)] : []));
  return { texts, files };
}

export const queueQuery = z.object({ sessionId: sessionIdSchema });

export const queuedParams = z.object({
  id: z.string().regex(/^que_[0-9a-z]{26}$/, 'is not the id of a queued message'),
});

export const enqueueBody = z.strictObject({ sessionId: sessionIdSchema, ...sendFields });

export const editQueuedBody = z.strictObject({ message: userMessageSchema });

export const clearedSchema = z.strictObject({ removed: count });
export const startedSchema = z.strictObject({ started: z.boolean() });

/** Answer of POST /api/chat and GET /api/chat/{id}/stream. */
export const turnStream = content(
  'text/event-stream',
  'The chunks of the AI SDK\'s UI message stream (`data: {"type": "text-delta", …}`, in the end `data: [DONE]`), with `data-compaction`, `data-prune`, `data-context`, `data-queue` and `data-waiting` of our own.',
);

/** A decision names the stored call; what it would do cannot be said here. */
const decision = z.strictObject({
  toolCallId: z.string().min(1).max(500),
  approved: z.boolean(),
  reason: z.string().trim().min(1).max(2_000).optional().describe('What the model hears of a denial'),
});

const decisions = z
  .array(decision)
  .min(1)
  .max(100)
  .refine((list) => new Set(list.map(({ toolCallId }) => toolCallId)).size === list.length, 'name each call once');

export const approvalsBody = z.strictObject({ decisions });
