import { z } from 'zod';
import { sessionStates } from '#server/core/context-report';
import { sessionEventNames } from '#server/core/events';
import { count, idOf, time } from '#server/http/schemas/answers/fields';
import { components } from '#server/http/schemas/components';

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
