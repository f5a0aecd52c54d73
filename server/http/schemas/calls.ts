import { z } from 'zod';
import { callRequestStatuses } from '#server/core/call-requests';
import { idOf, json, listOf, time } from '#server/http/schemas/fields';
import { effectSchema } from '#server/http/schemas/journal';

export const callRequestParams = z.object({
  id: z.string().regex(/^req_[0-9a-z]{26}$/, 'is not the id of a call request'),
});

export const decideCallBody = z.strictObject({
  approved: z.boolean(),
  reason: z.string().trim().min(1).max(2_000).optional().describe('What the assistant hears of a denial'),
});

export const callRequestSchema = z.strictObject({
  id: idOf('req'),
  keyId: z.string().min(1).describe('Of the API key; in local mode, where none is needed, of the user'),
  keyName: z.string().nullable().describe('Null: no key'),
  userId: z.string().min(1),
  userName: z.string().nullable().describe('Null where there are no accounts'),
  toolName: z.string().min(1),
  input: json,
  effect: effectSchema.nullable().describe('What it would do, as it was when it was asked'),
  status: z.enum(callRequestStatuses),
  reason: z.string().nullable().describe('Of a denial'),
  createdAt: time,
  expiresAt: time,
});

export const callRequestsSchema = listOf(callRequestSchema);
