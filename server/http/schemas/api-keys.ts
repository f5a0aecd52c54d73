import { z } from 'zod';
import { scopes } from '#server/core/principal';
import { nameSchema } from '#server/http/schemas/name';

const MAX_NAME_CHARS = 100;

export const apiKeyParams = z.object({ id: z.string().regex(/^key_[0-9a-z]{26}$/, 'is not the id of an API key') });

/** `all=1`: everybody's, for administrators. */
export const apiKeysQuery = z.object({ all: z.literal('1').optional() });

export const createApiKeyBody = z.strictObject({
  name: nameSchema(MAX_NAME_CHARS),
  scopes: z
    .array(z.enum(scopes))
    .min(1, 'must have at least one')
    .max(scopes.length)
    .transform((list) => [...new Set(list)]),
  /** Epoch milliseconds; null: it does not expire. */
  expiresAt: z
    .int()
    .refine((time) => time > Date.now(), 'must lie in the future')
    .nullable()
    .default(null),
});
