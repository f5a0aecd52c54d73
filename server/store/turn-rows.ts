import { and, count, eq, type Placeholder, sql } from 'drizzle-orm';
import { withoutCoalescing } from '#server/core/coalesced-text';
import { TurnLostError } from '#server/core/errors';
import type { Turn } from '#server/core/turns';
import { TURN_PATIENCE_MS } from '#server/core/turn-store';
import { compactionLease, compactionLeaseColumns } from '#server/store/compaction-lease';
import { builtOnce, type StoreReader, type StoreTransaction, type Database } from '#server/store/database';
import { isSession } from '#server/store/delete-session';
import type { LeaseWatch, StoredLease } from '#server/store/leases';
import { sessions } from '#server/store/schema/sessions';
import { approvals, queuedMessages, turns } from '#server/store/schema/turns';
import type { OpeningRequest } from '#server/core/thread';

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
  startedAt: turns.startedAt,
  endedAt: turns.endedAt,
} as const;

/** The session's running turn. */
export function runningIn(sessionId: string | Placeholder) {
  return and(eq(turns.sessionId, sessionId), eq(turns.status, 'running'));
}

/** The lease of a running turn. A store that is locked takes no renewal: the turn of a process that lives is waited for. */
export function leaseOf({
  id,
  leaseOwner,
  leaseExpiresAt,
}: Pick<typeof turns.$inferSelect, 'id' | 'leaseOwner' | 'leaseExpiresAt'>): StoredLease {
  return { name: `turn:${id}`, owner: leaseOwner, expiresAt: leaseExpiresAt, aliveMs: TURN_PATIENCE_MS };
}

const findOwnTurn = builtOnce((tx: Pick<StoreTransaction, 'select'>) =>
  tx
    .select({ id: turns.id })
    .from(turns)
    .where(
      and(
        eq(turns.id, sql.placeholder('id')),
        eq(turns.leaseOwner, sql.placeholder('leaseOwner')),
        eq(turns.status, 'running'),
      ),
    )
    .prepare(),
);

/** @throws TurnLostError where a turn runs no longer, or another process has its lease */
export async function requireRunning(tx: StoreTransaction, { id, leaseOwner }: Pick<Turn, 'id' | 'leaseOwner'>) {
  if (!(await findOwnTurn(tx).get({ id, leaseOwner }))) throw new TurnLostError(id);
}

/** State that can keep a session from starting a turn. */
interface SessionState {
  /** A turn runs. */
  readonly running: boolean;
  /** A compaction has it, and its lease has not run out. */
  readonly compacting: boolean;
  /** The user cancelled: what waits is not sent by itself. */
  readonly held: boolean;
  /** Calls wait for the user's decision. */
  readonly asking: boolean;
}

const findState = builtOnce((db: Pick<StoreReader, 'select'>) => {
  const sessionId = sql.placeholder('sessionId');
  const pending = and(eq(approvals.sessionId, sessionId), eq(approvals.status, 'pending'));
  return db
    .select({
      ...compactionLeaseColumns,
      running: sql<number>`exists (select 1 from ${turns} where ${runningIn(sessionId)})`,
      held: sessions.queueHeld,
      asking: sql<number>`exists (select 1 from ${approvals} where ${pending})`,
    })
    .from(sessions)
    .where(isSession(sessionId))
    .prepare();
});

/** Undefined when there is no such session. */
export async function readSessionState(
  tx: Pick<StoreReader, 'select'>,
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
    }
  );
}

/** Holds what waits in the session, or lets it go. */
export async function setQueueHeld(tx: StoreTransaction, sessionId: string, queueHeld: boolean): Promise<void> {
  await tx.update(sessions).set({ queueHeld }).where(eq(sessions.id, sessionId));
}

const countRunning = builtOnce((db: Pick<StoreReader, 'select'>) => {
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

/** Counts the running turns of a user, or of a session's owner, in all of his sessions and all processes. */
export async function countRunningTurns(
  db: Pick<StoreReader, 'select'>,
  of: { readonly userId: string } | { readonly sessionId: string },
): Promise<number> {
  const row = await countRunning(db).get({ userId: null, sessionId: null, ...of });
  return row?.running ?? 0;
}

/** Counts waiting messages in all sessions. */
export function countQueuedMessages(db: Pick<StoreReader, '$count'>): Promise<number> {
  return Promise.resolve(db.$count(queuedMessages));
}

/** Bytes of the database, its free pages included. */
export async function databaseSize(db: Pick<StoreReader, 'get'>): Promise<number> {
  const row = await db.get<{ bytes: number }>(
    sql`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`,
  );
  return row.bytes;
}

/** Characters of a request. */
const MOST_CHARS = 160;
/** Turns asked for in one query. */
const BATCH = 500;

/** Reads the requests that began turns, without files and later parts. */
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
