import { z } from 'zod';
import { sessionEventNames } from '#server/core/conversation/events';
import { components, count, idOf, pageOf, type Shape, time } from '#server/core/shapes';

/** What happens in a session at the moment. `held`: its queue waits for the user. */
export const sessionStates = ['idle', 'running', 'compacting', 'waiting_approval', 'held', 'failed'] as const;
export type SessionState = (typeof sessionStates)[number];

/** One row of the administrator's table (GET /api/admin/sessions). */
export const sessionOverviewSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1),
    modelId: z.string().nullable(),
    ownerId: z.string().min(1).describe("The session's user; no other person writes in it"),
    ownerName: z.string().nullable().describe('Null where nobody has an account, or who had is gone'),
    siteId: z.string().min(1).describe('The site that it works on, also where that is connected no more'),
    state: z.enum(sessionStates),
    messageCount: count,
    queued: count.describe('Number of queued messages'),
    context: z
      .strictObject({ currentTokens: count, usableTokens: count, percentUsed: z.number().min(0) })
      .nullable()
      .describe('From the newest sample; null before the first step'),
    rounds: count,
    lastCompactionAt: time.nullable(),
    cost: z.number().min(0).nullable().describe('US dollars; null where no provider says it'),
    createdAt: time,
    updatedAt: time.describe('Last activity'),
  })
  .register(components, { id: 'SessionOverview' });
export const sessionOverviewPageSchema = pageOf(sessionOverviewSchema).register(components, {
  id: 'SessionOverviewPage',
});
export type SessionOverview = Shape<typeof sessionOverviewSchema>;

/** The activity of one of the caller's sessions. */
const sessionActivitySchema = z
  .strictObject({
    sessionId: idOf('ses'),
    state: z.enum(sessionStates),
    queued: count.describe('Number of queued messages'),
  })
  .register(components, { id: 'SessionActivity' });
export type SessionActivity = Shape<typeof sessionActivitySchema>;

/** Schema of the data of each event in GET /api/sessions/events. */
export const sessionActivitySchemas = {
  'sessions:snapshot': z
    .strictObject({ sessions: z.array(sessionActivitySchema) })
    .describe('All conversations in which something happens; the others are idle'),
  'sessions:changed': z
    .strictObject({ sessions: z.array(sessionActivitySchema) })
    .describe('The conversations whose state has changed'),
} as const;

/** An event of GET /api/sessions/events; `id` is that of the newest event that it includes. */
export interface SessionActivityEvent {
  readonly id: number;
  readonly name: keyof typeof sessionActivitySchemas;
  readonly data: { readonly sessions: readonly SessionActivity[] };
}

/** Selects the sessions of one user. */
export interface OwnSessions {
  readonly ownerId: string;
  /** Sites that the user may work on; null: all. */
  readonly sites: readonly string[] | null;
}

/** Reads the activity of a user's sessions. */
export interface ActivityStore {
  /** Conversations in which a turn or compaction runs, calls wait for approval, or messages are queued. */
  busy(own: OwnSessions): Promise<readonly SessionActivity[]>;
  /** The state of those of these conversations that are the user's. */
  statesOf(own: OwnSessions, sessionIds: readonly string[]): Promise<readonly SessionActivity[]>;
  /** Ids of the user's conversations with events after `afterId`, up to `lastId`. */
  changedBetween(own: OwnSessions, afterId: number, lastId: number): Promise<string[]>;
}

/** Event after which a session's row in the table may be outdated (GET /api/admin/events). */
export const sessionChangeSchema = z
  .strictObject({ sessionId: idOf('ses'), name: z.enum(sessionEventNames) })
  .register(components, { id: 'SessionChange' });
export type SessionChange = Shape<typeof sessionChangeSchema>;

/** An event of GET /api/admin/events. `id` is that of the session's own event and increases in the whole installation. */
export interface SessionChanged {
  readonly id: number;
  readonly name: 'session:changed';
  readonly data: SessionChange;
}
