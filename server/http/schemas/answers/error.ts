import { z } from 'zod';
import { json } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

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
