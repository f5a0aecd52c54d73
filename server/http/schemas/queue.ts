import { z } from 'zod';
import { sendFields, userMessageSchema } from '#server/http/schemas/chat';
import { sessionIdSchema } from '#server/http/schemas/sessions';

export const queueQuery = z.object({ sessionId: sessionIdSchema });

export const queuedParams = z.object({
  id: z.string().regex(/^que_[0-9a-z]{26}$/, 'is not the id of a queued message'),
});

export const enqueueBody = z.strictObject({ sessionId: sessionIdSchema, ...sendFields });

export const editQueuedBody = z.strictObject({ message: userMessageSchema });
