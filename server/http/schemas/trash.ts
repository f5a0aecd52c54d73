import { z } from 'zod';
import { trashKinds } from '#server/core/trash';

export const trashQuery = z.object({
  kind: z.enum(trashKinds).default('entries'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.string().min(1).max(1_000).optional(),
});
