import { z } from 'zod';

export const callRequestParams = z.object({
  id: z.string().regex(/^req_[0-9a-z]{26}$/, 'is not the id of a call request'),
});

export const decideCallBody = z.strictObject({
  approved: z.boolean(),
  reason: z.string().trim().min(1).max(2_000).optional().describe('What the assistant hears of a denial'),
});
