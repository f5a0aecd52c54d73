import { z } from 'zod';
import { auditActions } from '#server/core/audit';

export const auditQuery = z.object({
  action: z.enum(auditActions).optional(),
  userId: z.string().min(1).max(100).optional(),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});
