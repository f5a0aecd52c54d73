import { and, count, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import { withoutCoalescing } from '#server/core/conversation/coalesced-text';
import { TurnLostError } from '#server/core/errors';
import type { OwnedTurn } from '#server/core/conversation/turns';
import { TURN_PATIENCE_MS } from '#server/core/conversation/turn-store';
import { compactionLease, compactionLeaseColumns } from '#server/conversation/store/compaction-lease';
import { builtOnce, type StoreReader, type StoreTransaction, type Database } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import type { LeaseWatch, StoredLease } from '#server/platform/database/leases';
import { messages, sessions } from '#server/platform/database/schema/sessions';
import { approvals, queuedMessages, turns } from '#server/platform/database/schema/turns';
import type { OpeningRequest } from '#server/core/conversation/history';

/** The columns of a Turn. */
export const turnColumns = {
  id: turns.id,
  sessionId: turns.sessionId,
  userMessageId: turns.userMessageId,
  modelId: turns.modelId,
  status: turns.status,
  approvalPolicy: turns.approvalPolicy,
  scopes: turns.scopes,
  keyIds: turns.keyIds,
  leaseOwner: turns.leaseOwner,
  leaseExpiresAt: turns.leaseExpiresAt,
  cancelRequestedAt: turns.cancelRequestedAt,
  error: turns.error,
  errorMessage: turns.errorMessage,
  startedAt: turns.startedAt,
  endedAt: turns.endedAt,
} as const;

/** The session's running turn. */
export function runningIn(sessionId: string | Placeholder) {
  return and(eq(turns.sessionId, sessionId), eq(turns.status, 'running'));
}

/**
 * The lease of a running turn. While the database is locked, a lease cannot be renewed; therefore it stays valid for
 * `TURN_PATIENCE_MS` after its expiry if its process is alive.
 */
export function leaseOf({
  id,
  leaseOwner,
  leaseExpiresAt,
}: Pick<typeof turns.$inferSelect, 'id' | 'leaseOwner' | 'leaseExpiresAt'>): StoredLease {
  return { name: `turn:${id}`, owner: leaseOwner, expiresAt: leaseExpiresAt, aliveMs: TURN_PATIENCE_MS };
}

/** The turn `:turnId` if it runs under the lease of `:leaseOwner`. */
const isOwnTurn = and(
  eq(turns.id, sql.placeholder('turnId')),
  eq(turns.leaseOwner, sql.placeholder('leaseOwner')),
  eq(turns.status, 'running'),
);

const findOwnTurn = builtOnce((tx: StoreReader) => tx.select({ id: turns.id }).from(turns).where(isOwnTurn).prepare());

/**
 * Condition of a write for a turn: the turn `:turnId` runs under the lease of `:leaseOwner`. In the statement itself, it
 * costs no statement of its own; `requireRunning` tells afterwards why a write has found nothing.
 */
export const whileRunning: SQL = sql`exists (select 1 from ${turns} where ${isOwnTurn})`;

/** The values of the placeholders of `whileRunning`. */
export function ownerOf({ id: turnId, leaseOwner }: OwnedTurn): {
  readonly turnId: string;
  readonly leaseOwner: string;
} {
  return { turnId, leaseOwner };
}

/** Fails the write with TurnLostError if the turn no longer runs, or another process has its lease. */
export function requireRunning(tx: StoreTransaction, { id, leaseOwner }: OwnedTurn): void {
  tx.later(
    () => findOwnTurn(tx).get({ turnId: id, leaseOwner }),
    () => new TurnLostError(id),
  );
}

/** State that can prevent a session from starting a turn. */
export interface SessionState {
  /** A turn runs. */
  readonly running: boolean;
  /** A compaction holds the session, and its lease has not expired. */
  readonly compacting: boolean;
  /** The user cancelled: queued messages are not sent automatically. */
  readonly held: boolean;
  /** Calls wait for the user's decision. */
  readonly asking: boolean;
  /** Number of running turns of the session's owner, in all sessions and processes. */
  readonly ownersRunning: number;
  /** Position of the session's last message; 0 without messages. */
  readonly lastSeq: number;
}

const findState = builtOnce((db: StoreReader) => {
  const sessionId = sql.placeholder('sessionId');
  const pending = and(eq(approvals.sessionId, sessionId), eq(approvals.status, 'pending'));
  return db
    .select({
      ...compactionLeaseColumns,
      running: sql<number>`exists (select 1 from ${turns} where ${runningIn(sessionId)})`,
      held: sessions.queueHeld,
      asking: sql<number>`exists (select 1 from ${approvals} where ${pending})`,
      // With names of their own: drizzle leaves out those of tables in the columns of a query of one table.
      ownersRunning: sql<number>`(select count(*) from ${turns} as running join ${sessions} as its on its.id = running.session_id
        where running.status = 'running' and its.owner_id = ${sessions}.owner_id)`,
      lastSeq: sql<number>`(select coalesce(max(said.seq), 0) from ${messages} as said where said.session_id = ${sessions}.id)`,
    })
    .from(sessions)
    .where(isLiveSession(sessionId))
    .prepare();
});

/** Reads the state that can prevent a session from starting a turn. @returns undefined if there is no such session */
export async function readSessionState(
  tx: StoreReader,
  sessionId: string,
  now: number,
  watch: LeaseWatch,
): Promise<SessionState | undefined> {
  const row = await findState(tx).get({ sessionId });
  return (
    row && {
      running: Boolean(row.running),
      compacting: !watch.hasRunOut(compactionLease(row), now),
      held: row.held,
      asking: Boolean(row.asking),
      ownersRunning: row.ownersRunning,
      lastSeq: row.lastSeq,
    }
  );
}

/** Holds or releases the session's queue. */
export async function setQueueHeld(tx: StoreTransaction, sessionId: string, queueHeld: boolean): Promise<void> {
  await tx.update(sessions).set({ queueHeld }).where(eq(sessions.id, sessionId));
}

const countRunning = builtOnce((db: StoreReader) => {
  const ofSession = sql`(select its.owner_id from ${sessions} as its where its.id = ${sql.placeholder('sessionId')})`;
  return db
    .select({ running: count() })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(
      and(eq(turns.status, 'running'), eq(sessions.ownerId, sql`coalesce(${sql.placeholder('userId')}, ${ofSession})`)),
    )
    .prepare();
});

/** Counts the running turns of a user, or of a session's owner, in all sessions of that user and all processes. */
export async function countRunningTurns(
  db: StoreReader,
  of: { readonly userId: string } | { readonly sessionId: string },
): Promise<number> {
  const row = await countRunning(db).get({ userId: null, sessionId: null, ...of });
  return row?.running ?? 0;
}

/** Counts queued messages in all sessions. */
export function countQueuedMessages(db: StoreReader): Promise<number> {
  return Promise.resolve(db.$count(queuedMessages));
}

/** Size of the database in bytes, including free pages. */
export async function databaseSize(db: StoreReader): Promise<number> {
  const row = await db.get<{ bytes: number }>(
    sql`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`,
  );
  return row.bytes;
}

/** Maximum characters that are read of a request. */
const MOST_CHARS = 160;
/** Maximum number of turns per query. */
const BATCH = 500;

/** Reads the beginning of each request that started a turn: of its first text only, without files. */
export function createTurnRequests(db: Database) {
  return async (turnIds: readonly string[]): Promise<Map<string, OpeningRequest>> => {
    const found = new Map<string, OpeningRequest>();
    for (let start = 0; start < turnIds.length; start += BATCH) {
      const ids = sql.join(
        turnIds.slice(start, start + BATCH).map((id) => sql`${id}`),
        sql`, `,
      );
      const rows = await db.read.all<OpeningRequest & { readonly id: string; readonly isSeveral: number | null }>(sql`
        select turns.id as id, turns.user_message_id as messageId, (
          select json_extract(messages.metadata, '$.coalesced') from messages
          where messages.id = turns.user_message_id) as isSeveral, coalesce((
          select substr(json_extract(part.content, '$.text'), 1, ${MOST_CHARS}) from message_parts as part
          where part.message_id = turns.user_message_id and part.type = 'text' order by part."order" limit 1), '') as words
        from turns where turns.id in (${ids})`);
      for (const { id, messageId, words, isSeveral } of rows) {
        const whole = words.toWellFormed();
        found.set(id, { messageId, words: isSeveral ? withoutCoalescing(whole) : whole });
      }
    }
    return found;
  };
}
