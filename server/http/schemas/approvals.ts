import { z } from 'zod';

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
