import { z } from 'zod';
import { scopes } from '#server/core/principal';
import { idOf, listOf, time } from '#server/http/schemas/answers/fields';

const apiKeyAnswer = z.strictObject({
  id: idOf('key'),
  userId: z.string(),
  userName: z.string().nullable().describe('Null where there are no accounts'),
  name: z.string(),
  prefix: z.string().describe('The beginning of the key, to recognize it by'),
  scopes: z.array(z.enum(scopes)),
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable().describe('To the minute'),
  createdAt: time,
});

export const apiKeysAnswer = listOf(apiKeyAnswer);

export const createdApiKeyAnswer = z.strictObject({
  key: z
    .string()
    .regex(/^tl_[\w-]{43}$/)
    .describe('The key itself, this one time'),
  apiKey: apiKeyAnswer,
});
