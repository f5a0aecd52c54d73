import { z } from 'zod';

/** Full-text search in one session; any text may be searched for. */
export const searchQuery = z.object({
  q: z.string().min(1).max(1_000),
  limit: z.coerce.number().int().min(1).max(50).optional().describe('Default 10'),
});
