import { z } from 'zod';
import { auditPageAnswer } from '#server/core/admin/audit';
import { auditActions } from '#server/core/admin/audit-actions';
import { route } from '#server/http/route';

const query = z.object({
  action: z.enum(auditActions).optional(),
  userId: z.string().min(1).max(100).optional(),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const GET = route(
  { summary: 'The audit log, the newest entries first', access: 'admin', query, answer: auditPageAnswer },
  async ({ query: asked, services }) => services.audit.list(asked),
);
