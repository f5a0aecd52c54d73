import { z } from 'zod';
import { auditActions } from '#server/core/audit';
import { sessionStates } from '#server/core/context-report';
import { sessionEventNames } from '#server/core/events';
import { components } from '#server/http/schemas/components';
import { count, idOf, json, pageOf, time } from '#server/http/schemas/fields';
import { listSessionsQuery } from '#server/http/schemas/sessions';

export const overviewsQuery = listSessionsQuery.extend({ state: z.enum(sessionStates).optional() });

export const auditQuery = z.object({
  action: z.enum(auditActions).optional(),
  userId: z.string().min(1).max(100).optional(),
  cursor: z.string().max(500).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const sessionOverviewSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1),
    modelId: z.string().nullable(),
    ownerId: z.string().min(1),
    ownerName: z.string().nullable().describe('Null where nobody has an account, or who had is gone'),
    state: z.enum(sessionStates),
    messageCount: count,
    queued: count,
    context: z.strictObject({ currentTokens: count, usableTokens: count, percentUsed: z.number().min(0) }).nullable(),
    rounds: count,
    lastCompactionAt: time.nullable(),
    cost: z.number().min(0).nullable().describe('US dollars; null where no provider says it'),
    createdAt: time,
    updatedAt: time,
  })
  .register(components, { id: 'SessionOverview' });

/** The data of every event of GET /api/admin/events. */
export const sessionChangeSchema = z.strictObject({ sessionId: idOf('ses'), name: z.enum(sessionEventNames) });

export const auditPageAnswer = pageOf(
  z.strictObject({
    id: idOf('aud'),
    action: z.enum(auditActions),
    userId: z.string().nullable(),
    keyId: z.string().nullable(),
    actorName: z.string(),
    target: z.string().nullable(),
    details: z.record(z.string(), json).nullable(),
    ipAddress: z.string().nullable(),
    requestId: z.string().nullable(),
    createdAt: time,
  }),
);

export const healthSchema = z.strictObject({ status: z.literal('ok') });

export const readySchema = z.strictObject({ status: z.literal('ready') });
