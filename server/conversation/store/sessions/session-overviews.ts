import { and, count, desc, eq, gt, inArray, isNull, lte, or, type SQL, sql, type SQLWrapper } from 'drizzle-orm';
import type {
  ActivityStore,
  OwnSessions,
  SessionActivity,
  SessionOverview,
  SessionState,
} from '#server/core/conversation/session-overview';
import { NotFoundError } from '#server/core/errors';
import { type Page, pageSize, toPage } from '#server/platform/database/cursor';
import { type Database, type StoreReader } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import { users } from '#server/platform/database/schema/people';
import { contextSamples, events, messages, sessions } from '#server/platform/database/schema/sessions';
import { approvals, queuedMessages, turns } from '#server/platform/database/schema/turns';
import {
  cursorKey,
  isCompacting,
  lastUsedFirst,
  type SessionSearch,
  sessionsOf,
} from '#server/conversation/store/sessions/session-repository';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

interface OverviewQuery extends SessionSearch {
  readonly site?: string | undefined;
  readonly state?: SessionState | undefined;
}

/** Sessions of all users, for an administrator. */
export interface SessionOverviews {
  /**
   * Most recently used first.
   * @throws InvalidInputError for an invalid cursor.
   */
  list(query: OverviewQuery): Promise<Page<SessionOverview>>;
  /** @throws NotFoundError */
  get(id: string): Promise<SessionOverview>;
}

/** `now` returns epoch milliseconds. */
export function createSessionOverviews(db: Database, now: () => number = Date.now): SessionOverviews {
  return {
    async list({ limit, ...query }) {
      const size = pageSize(limit, PAGE_SIZE, MAX_PAGE_SIZE);
      const rows = await listQuery(db.read, query, size + 1, now());
      return toPage(rows.map(toOverview), size, cursorKey);
    },
    async get(id) {
      const [row] = await overviewQuery(db.read, isLiveSession(id), 1, now());
      if (!row) throw new NotFoundError('session', id);
      return toOverview(row);
    },
  };
}

/** What happens in the conversations of a user. `now` returns epoch milliseconds. */
export function createActivityStore(db: Database, now: () => number = Date.now): ActivityStore {
  async function read({ ownerId, sites }: OwnSessions, condition: SQL | undefined): Promise<SessionActivity[]> {
    const isOwn = and(eq(sessions.ownerId, ownerId), isNull(sessions.deletedAt));
    const isTheirs = sites === null ? undefined : inArray(sessions.siteId, [...sites]);
    return db.read
      .select({
        sessionId: sessions.id,
        state: stateOf(db.read, now()),
        queued: sql<number>`${countQueued(db.read, sessions.id)}`,
      })
      .from(sessions)
      .where(and(isOwn, isTheirs, condition));
  }

  return {
    busy: (own) =>
      read(
        own,
        or(
          isCompacting(now()),
          sql`${sessions.id} in (
            select ${turns.sessionId} from ${turns} where ${turns.status} = 'running'
            union select ${approvals.sessionId} from ${approvals} where ${approvals.status} = 'pending'
            union select ${queuedMessages.sessionId} from ${queuedMessages})`,
        ),
      ),
    statesOf: (own, sessionIds) => read(own, inArray(sessions.id, [...sessionIds])),
    async changedBetween({ ownerId }, afterId, lastId) {
      const rows = await db.read
        .selectDistinct({ id: events.sessionId })
        .from(events)
        .innerJoin(sessions, eq(sessions.id, events.sessionId))
        .where(and(gt(events.id, afterId), lte(events.id, lastId), eq(sessions.ownerId, ownerId)));
      return rows.map(({ id }) => id);
    },
  };
}

/** Query for the overviews of a page and the row after it. */
export function listQuery(db: StoreReader, { state, site, ...query }: OverviewQuery, limit: number, time: number) {
  const isWanted = state && sql`${stateOf(db, time)} = ${state}`;
  const isOfSite = site === undefined ? undefined : eq(sessions.siteId, site);
  return overviewQuery(db, and(sessionsOf({ ...query, ownerId: null }), isOfSite, isWanted), limit, time);
}

/** One query for all: it finds the sessions first, with the index of their order, and loads the rest only for those. */
function overviewQuery(db: StoreReader, condition: SQL | undefined, limit: number, time: number) {
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

/** The first matching state. */
function stateOf(db: StoreReader, time: number): SQL<SessionState> {
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
  // Uses the newest message: turns have no index by session, and later messages show that the conversation continued.
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

function countQueued(db: StoreReader, sessionId: SQLWrapper) {
  return db.select({ queued: count() }).from(queuedMessages).where(eq(queuedMessages.sessionId, sessionId));
}
