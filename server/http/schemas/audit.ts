import { z } from 'zod';
import { auditActions } from '#server/core/admin/audit-actions';

/** A time in a query; epoch milliseconds. */
const queryTime = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

const filter = {
  action: z.enum(auditActions).optional(),
  userId: z.string().min(1).max(100).optional().describe('Id of the person who acted'),
  from: queryTime.optional().describe('Entries from this time on; epoch milliseconds'),
  until: queryTime.optional().describe('Entries before this time; epoch milliseconds'),
};

export const auditQuery = z.object({
  ...filter,
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const auditExportQuery = z.object({ ...filter, format: z.enum(['csv', 'json']).default('csv') });
