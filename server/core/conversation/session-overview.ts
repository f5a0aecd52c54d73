import { z } from 'zod';
import { sessionEventNames } from '#server/core/conversation/events';
import { sessionSchema } from '#server/core/conversation/sessions';
import { components, count, idOf, pageOf, type Shape, time } from '#server/core/shapes';

/** What happens in a session at the moment. `held`: its queue waits for the user. */
export const sessionStates = ['idle', 'running', 'compacting', 'waiting_approval', 'held', 'failed'] as const;
export type SessionState = (typeof sessionStates)[number];

/** One row of the administrator's table (GET /api/admin/sessions). */
export const sessionOverviewSchema = z
  .strictObject({
    id: idOf('ses'),
    title: z.string().min(1).describe('Title of the session'),
    modelId: z.string().nullable().describe("Id of the session's model; null: the default model"),
    ownerId: z.string().min(1).describe("The session's user; no other person writes in it"),
    ownerName: z.string().nullable().describe('Null where nobody has an account, or who had is gone'),
    siteId: z.string().min(1).describe('The site that it works on, also where that is connected no more'),
    state: z.enum(sessionStates).describe('What happens in the session now. `held`: queued messages wait for the user'),
    messageCount: count.describe('Number of messages in the transcript'),
    queued: count.describe('Number of queued messages'),
    context: z
      .strictObject({
        currentTokens: count.describe('Tokens of the next request'),
        usableTokens: count.describe('Tokens that a request may fill'),
        percentUsed: z
          .number()
          .min(0)
          .describe('Share of the usable tokens in percent, with one decimal; may exceed 100'),
      })
      .nullable()
      .describe('From the newest sample; null before the first step'),
    rounds: sessionSchema.shape.compactionCount,
    lastCompactionAt: sessionSchema.shape.lastCompactionAt,
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
    state: z.enum(sessionStates).describe('What happens in the session now. `held`: queued messages wait for the user'),
    queued: count.describe('Number of queued messages'),
  })
  .register(components, { id: 'SessionActivity' });
export type SessionActivity = Shape<typeof sessionActivitySchema>;

/** Schema of the data of each event in GET /api/sessions/events. */
export const sessionActivitySchemas = {
  'sessions:snapshot': z
    .strictObject({ sessions: z.array(sessionActivitySchema).describe('One item for each session') })
    .describe('All conversations in which something happens; the others are idle'),
  'sessions:changed': z
    .strictObject({ sessions: z.array(sessionActivitySchema).describe('One item for each session') })
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
  .strictObject({
    sessionId: idOf('ses'),
    name: z.enum(sessionEventNames).describe('Name of the event of the session, as in `GET /api/sessions/{id}/events`'),
  })
  .register(components, { id: 'SessionChange' });
export type SessionChange = Shape<typeof sessionChangeSchema>;

/** An event of GET /api/admin/events. `id` is that of the session's own event and increases in the whole installation. */
export interface SessionChanged {
  readonly id: number;
  readonly name: 'session:changed';
  readonly data: SessionChange;
}
