import { z } from 'zod';
import { modelIdSchema, sessionIdSchema } from '#server/http/schemas/sessions';
import { hasVisibleText } from '#server/http/schemas/visible-text';

/** About 16,000 tokens of English: more than any request, less than any window. Characters. */
export const MAX_MESSAGE_CHARS = 64_000;

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });

/** A user's message as the AI SDK's chat sends it. Its id is the client's; ours is made when it is stored. */
const userMessageSchema = z.looseObject({
  role: z.literal('user'),
  parts: z
    .array(textPart)
    .min(1)
    .max(50)
    .refine((parts) => parts.some((part) => hasVisibleText(part.text)), 'must say something'),
});

export const chatBody = z.strictObject({
  id: sessionIdSchema,
  message: userMessageSchema,
  modelId: modelIdSchema.optional(),
  /** The same id again starts nothing new. */
  clientRequestId: z.string().min(1).max(200).optional(),
});
