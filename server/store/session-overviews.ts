import { and, count, desc, eq, isNull, type SQL, sql, type SQLWrapper } from 'drizzle-orm';
import type { SessionOverview, SessionState } from '#server/core/session-overview';
import { NotFoundError } from '#server/core/errors';
import { type Page, pageSize, toPage } from '#server/store/cursor';
import { builtOnce, type Database, type StoreReader } from '#server/store/database';
import { isSession } from '#server/store/delete-session';
import { users } from '#server/store/schema/people';
import { contextSamples, messages, sessions } from '#server/store/schema/sessions';
import { approvals, queuedMessages, turns } from '#server/store/schema/turns';
import {
  cursorKey,
  isCompacting,
  lastUsedFirst,
  type SessionQuery,
  sessionsOf,
} from '#server/store/session-repository';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

interface OverviewQuery extends Omit<SessionQuery, 'ownerId' | 'sites'> {
  readonly site?: string | undefined;
  readonly state?: SessionState | undefined;
}

/** Everybody's sessions, for an administrator. */
export interface SessionOverviews {
  /**
   * The last used first.
   * @throws InvalidInputError for a cursor that is not one.
   */
  list(query: OverviewQuery): Promise<Page<SessionOverview>>;
  /** @throws NotFoundError */
  get(id: string): Promise<SessionOverview>;
}

/** `now` gives epoch milliseconds. */
export function createSessionOverviews(db: Database, now: () => number = Date.now): SessionOverviews {
  return {
    async list({ limit, ...query }) {
      const size = pageSize(limit, PAGE_SIZE, MAX_PAGE_SIZE);
      const rows = await listQuery(db.read, query, size + 1, now());
      return toPage(rows.map(toOverview), size, cursorKey);
    },
    async get(id) {
      const [row] = await overviewQuery(db.read, isSession(id), 1, now());
      if (!row) throw new NotFoundError('session', id);
      return toOverview(row);
    },
  };
}

/** The overviews of a page, and what follows it. */
export function listQuery(
  db: Pick<StoreReader, 'select'>,
  { state, site, ...query }: Omit<OverviewQuery, 'limit'>,
  limit: number,
  time: number,
) {
  const isWanted = state && sql`${stateOf(db, time)} = ${state}`;
  const isOfSite = site === undefined ? undefined : eq(sessions.siteId, site);
  return overviewQuery(db, and(sessionsOf({ ...query, ownerId: null }), isOfSite, isWanted), limit, time);
}

/**
 * One query for all: its sessions are found first, by the index of their order, and only of them the
 * rest is looked up.
 */
function overviewQuery(db: Pick<StoreReader, 'select'>, condition: SQL | undefined, limit: number, time: number) {
  const page = db
    .select({
      id: sessions.id,
      title: sessions.title,
      modelId: sessions.modelId,
      ownerId: sessions.ownerId,
      siteId: sessions.siteId,
      rounds: sessions.compactionCount,
      lastCompactionAt: sessions.lastCompactionAt,
      createdAt: sessions.createdAt,
      updatedAt: sessions.updatedAt,
      messageCount: sessions.messageCount,
      cost: sessions.cost,
      state: stateOf(db, time).as('state'),
    })
    .from(sessions)
    .where(condition)
    .orderBy(...lastUsedFirst)
    .limit(limit)
    .as('page');
  const newestSample = sql`(select max(newest.id) from ${contextSamples} newest where newest.session_id = ${page.id})`;
  return db
    .select({
      id: page.id,
      title: page.title,
      modelId: page.modelId,
      ownerId: page.ownerId,
      ownerName: users.name,
      siteId: page.siteId,
      rounds: page.rounds,
      lastCompactionAt: page.lastCompactionAt,
      createdAt: page.createdAt,
      updatedAt: page.updatedAt,
      state: page.state,
      messageCount: page.messageCount,
      queued: sql<number>`${countQueued(db, page.id)}`,
      cost: page.cost,
      currentTokens: contextSamples.currentTokens,
      usableTokens: contextSamples.usableTokens,
    })
    .from(page)
    .leftJoin(users, eq(users.id, page.ownerId))
    .leftJoin(contextSamples, eq(contextSamples.id, newestSample))
    .orderBy(desc(page.updatedAt), desc(page.id));
}

type OverviewRow = Awaited<ReturnType<typeof overviewQuery>>[number];

function toOverview({ currentTokens, usableTokens, ...row }: OverviewRow): SessionOverview {
  if (currentTokens === null || usableTokens === null) return { ...row, context: null };
  const percentUsed = Math.round((currentTokens / usableTokens) * 1_000) / 10;
  return { ...row, context: { currentTokens, usableTokens, percentUsed } };
}

/** The first of these that holds. */
function stateOf(db: Pick<StoreReader, 'select'>, time: number): SQL<SessionState> {
  const one = { one: sql`1` };
  const running = db
    .select(one)
    .from(turns)
    .where(and(eq(turns.sessionId, sessions.id), eq(turns.status, 'running')));
  const asking = db
    .select(one)
    .from(approvals)
    .where(and(eq(approvals.sessionId, sessions.id), eq(approvals.status, 'pending')));
  const waiting = db.select(one).from(queuedMessages).where(eq(queuedMessages.sessionId, sessions.id));
  // By the newest message: turns have no index by session, and what was appended since says that it went on.
  const newestTurn = db
    .select({ turnId: messages.turnId })
    .from(messages)
    .where(and(eq(messages.sessionId, sessions.id), standing))
    .orderBy(desc(messages.seq))
    .limit(1);
  const failed = db
    .select(one)
    .from(turns)
    .where(and(sql`${turns.id} = ${newestTurn}`, eq(turns.status, 'failed')));
  return sql`case
    when ${isCompacting(time)} then 'compacting'
    when exists ${running} then 'running'
    when exists ${asking} then 'waiting_approval'
    when ${sessions.queueHeld} and exists ${waiting} then 'held'
    when exists ${failed} then 'failed'
    else 'idle' end`;
}

/** Messages that the transcript shows. */
const standing = and(eq(messages.isSummary, false), isNull(messages.supersededBy));

function countQueued(db: Pick<StoreReader, 'select'>, sessionId: SQLWrapper) {
  return db.select({ queued: count() }).from(queuedMessages).where(eq(queuedMessages.sessionId, sessionId));
}

/** US dollars that a session's steps and summaries cost, as their providers reported it; null where none did. */
export type SessionCost = (sessionId: string) => Promise<number | null>;

const findCost = builtOnce((db: Pick<StoreReader, 'select'>) =>
  db
    .select({ cost: sessions.cost })
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('sessionId')))
    .prepare(),
);

/** Read where triggers keep it (migration 0022). */
export function createSessionCost(db: Database): SessionCost {
  return async (sessionId) => {
    const row = await findCost(db.read).get({ sessionId });
    return row?.cost ?? null;
  };
}
