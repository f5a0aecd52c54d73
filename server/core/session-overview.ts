import { z } from 'zod';
import { sessionEventNames } from '#server/core/events';
import { components, count, idOf, type Shape, time } from '#server/core/shapes';

/** Current activity of a session, as far as an administrator cares. */
export const sessionStates = ['idle', 'running', 'compacting', 'waiting_approval', 'held', 'failed'] as const;
export type SessionState = (typeof sessionStates)[number];

/** One row of the administrator's table (GET /api/admin/sessions). */
export const sessionOverviewSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1),
    modelId: z.string().nullable(),
    /** Its user; nobody else speaks in it. */
    ownerId: z.string().min(1),
    ownerName: z.string().nullable().describe('Null where nobody has an account, or who had is gone'),
    siteId: z.string().min(1).describe('The site that it works on, also where that is connected no more'),
    state: z.enum(sessionStates),
    messageCount: count,
    /** Messages that wait. */
    queued: count,
    /** From the newest sample; null before the first step. */
    context: z.strictObject({ currentTokens: count, usableTokens: count, percentUsed: z.number().min(0) }).nullable(),
    rounds: count,
    lastCompactionAt: time.nullable(),
    cost: z.number().min(0).nullable().describe('US dollars; null where no provider says it'),
    createdAt: time,
    /** Last activity. */
    updatedAt: time,
  })
  .register(components, { id: 'SessionOverview' });
export type SessionOverview = Shape<typeof sessionOverviewSchema>;

/** Event in a session after which its row in the table may be old (GET /api/admin/events). */
export const sessionChangeSchema = z.strictObject({ sessionId: idOf('ses'), name: z.enum(sessionEventNames) });
export type SessionChange = Shape<typeof sessionChangeSchema>;

/** A change as it is told; `id` is that of the session's own event and grows within the whole installation. */
export interface SessionChanged {
  readonly id: number;
  readonly name: 'session:changed';
  readonly data: SessionChange;
}
