import { z } from 'zod';
import { auditActions } from '#server/core/audit';
import { sessionStates } from '#server/core/context-report';
import { listSessionsQuery } from '#server/http/schemas/sessions';

export const overviewsQuery = listSessionsQuery.extend({ state: z.enum(sessionStates).optional() });

export const auditQuery = z.object({
  action: z.enum(auditActions).optional(),
  userId: z.string().min(1).max(100).optional(),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const healthSchema = z.strictObject({ status: z.literal('ok') });

export const readySchema = z.strictObject({ status: z.literal('ready') });
