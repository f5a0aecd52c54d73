import { z } from 'zod';
import { callRequestStatuses } from '#server/core/call-requests';
import { effectSchema } from '#server/http/schemas/answers/changes';
import { idOf, json, listOf, time } from '#server/http/schemas/answers/fields';

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
