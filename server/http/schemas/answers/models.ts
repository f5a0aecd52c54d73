import { z } from 'zod';
import { count } from '#server/http/schemas/answers/fields';

export const modelsSchema = z.strictObject({
  items: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      contextWindow: count,
      maxOutputTokens: count,
      known: z.boolean(),
      warning: z.string().nullable(),
      acceptsImages: z.boolean(),
      provider: z.string(),
    }),
  ),
  defaultModelId: z.string(),
});
