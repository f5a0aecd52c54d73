import { z } from 'zod';
import { jsonValueSchema } from '#server/core/json';
import { components } from '#server/http/schemas/components';

/* What answers consist of. Answers are strict: a field too many is a change of the contract too. */

components.add(jsonValueSchema, { id: 'Json' });
/** Any JSON value. */
export const json = jsonValueSchema;

/** Epoch milliseconds. */
export const time = z
  .number()
  .int()
  // Seconds, or something else, would be less.
  .refine((value) => value >= 1_600_000_000_000, 'is not a time')
  .describe('Epoch milliseconds');
/** When something came into being, changed or was first published: of what is taken over from elsewhere, before us too. */
export const anyTime = z.number().int().describe('Epoch milliseconds');
/** What the site made of a write otherwise than asked, or cannot keep. */
export const notes = z
  .array(z.string().min(1))
  .optional()
  .describe('What the site made of it otherwise than asked, in sentences');
export const count = z.number().int().min(0);

/** Ids of our own rows: a prefix and a lowercase ULID. */
export const idOf = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{26}$`));

/** One page of a list; `nextCursor` is the `cursor` of the next one, null on the last. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ items: z.array(item), nextCursor: z.string().min(1).nullable() });

/** A list that comes at once. */
export const listOf = <T extends z.ZodType>(item: T) => z.strictObject({ items: z.array(item) });

/** Every refusal of /api. */
export const errorSchema = z
  .strictObject({
    error: z.strictObject({
      code: z.string().describe('What a program can go by'),
      message: z.string().describe('What a person can read'),
      details: json.optional(),
    }),
  })
  .register(components, { id: 'Error' });

/** Every refusal of /v1, in the shape of OpenAI. */
export const openAiErrorSchema = z
  .strictObject({
    error: z.strictObject({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  })
  .register(components, { id: 'OpenAiError' });
