import { z } from 'zod';
import { TooLargeError } from '#server/core/errors';
import { modelIdSchema, sessionIdSchema } from '#server/http/schemas/sessions';
import { hasVisibleText } from '#server/http/schemas/visible-text';

/** About 16,000 tokens of English: more than any request, less than any window. Characters. */
const MAX_MESSAGE_CHARS = 64_000;

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });

/** A user's message as the AI SDK's chat sends it. Its id is the client's; ours is made when it is stored. */
export const userMessageSchema = z.looseObject({
  role: z.literal('user'),
  parts: z
    .array(textPart)
    .min(1)
    .max(50)
    .refine((parts) => parts.some((part) => hasVisibleText(part.text)), 'must say something'),
});

/** How a message asks for its turn, wherever it is sent. */
export const sendFields = {
  message: userMessageSchema,
  modelId: modelIdSchema.optional(),
  /** The same id again starts nothing new. */
  clientRequestId: z.string().min(1).max(200).optional(),
};

export const chatBody = z.strictObject({ id: sessionIdSchema, ...sendFields });

/**
 * What the user wrote, part by part.
 * @throws TooLargeError above 64,000 characters
 */
export function textsOf({ parts }: z.infer<typeof userMessageSchema>): string[] {
  const texts = parts.map((part) => part.text);
  if (texts.join('').length > MAX_MESSAGE_CHARS)
    throw new TooLargeError('The message', MAX_MESSAGE_CHARS, 'characters');
  return texts;
}
