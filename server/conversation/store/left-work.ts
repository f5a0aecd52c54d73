import { and, eq, exists, isNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { LeftWork } from '#server/core/conversation/turn-store';
import { compactionLease } from '#server/conversation/store/compaction-lease';
import { selectAbandonedImports } from '#server/conversation/store/import-conversation';
import { leaseOf } from '#server/conversation/store/turn-rows';
import { selectLapsedQueue, selectLapsedTurns } from '#server/platform/auth/store/api-key-repository';
import type { StoreReader } from '#server/platform/database/database';
import { parseJsonColumn } from '#server/platform/database/json-column';
import type { LeaseWatch } from '#server/platform/database/leases';
import { sessions } from '#server/platform/database/schema/sessions';
import { approvals, queuedMessages, turns } from '#server/platform/database/schema/turns';

const turnsSchema = z.array(z.object({ id: z.string(), owner: z.string(), at: z.number() }));
const compactionsSchema = z.array(
  z.object({ id: z.string(), owner: z.string().nullable(), at: z.number().nullable() }),
);

/** Sessions with queued messages that may be sent and that no running turn or waiting call holds back. */
export function selectForgottenQueues(db: StoreReader) {
  const one = { one: sql`1` };
  const ofSession = eq(turns.sessionId, queuedMessages.sessionId);
  const running = db
    .select(one)
    .from(turns)
    .where(and(ofSession, eq(turns.status, 'running')));
  const asking = db
    .select(one)
    .from(approvals)
    .where(and(eq(approvals.sessionId, queuedMessages.sessionId), eq(approvals.status, 'pending')));
  return db
    .selectDistinct({ sessionId: queuedMessages.sessionId })
    .from(queuedMessages)
    .innerJoin(sessions, eq(sessions.id, queuedMessages.sessionId))
    .where(
      and(
        or(eq(sessions.queueHeld, false), eq(queuedMessages.isReleased, true)),
        isNull(queuedMessages.heldReason),
        notExists(running),
        notExists(asking),
      ),
    );
}

/**
 * Looks for all kinds of work that ended processes and API keys have left, in one statement: every process repeats it as
 * long as it runs.
 * @param lateMs additional wait for a compaction whose process may only be late to renew its lease
 */
export async function findLeftWork(db: StoreReader, now: number, watch: LeaseWatch, lateMs: number): Promise<LeftWork> {
  const isAny = (query: Parameters<typeof exists>[0]) => sql<number>`${exists(query)}`;
  const leases = (columns: SQL, from: SQL) =>
    sql<string>`(select coalesce(json_group_array(json_object(${columns})), '[]') from ${from})`;
  const { id, leaseOwner, leaseExpiresAt, status } = turns;
  const { compactionLeaseOwner, compactionLeaseExpiresAt, currentlyCompacting } = sessions;
  const running = leases(
    sql`'id', ${id}, 'owner', ${leaseOwner}, 'at', ${leaseExpiresAt}`,
    sql`${turns} where ${eq(status, 'running')}`,
  );
  const compacting = leases(
    sql`'id', ${sessions.id}, 'owner', ${compactionLeaseOwner}, 'at', ${compactionLeaseExpiresAt}`,
    sql`${sessions} where ${eq(currentlyCompacting, true)}`,
  );
  const found = await db.get<Record<'ofKeys' | 'queues' | 'imports', number> & Record<'turns' | 'compactions', string>>(
    sql`select ${isAny(selectLapsedTurns(db, now))} or ${isAny(selectLapsedQueue(db, now))} as "ofKeys",
      ${isAny(selectForgottenQueues(db))} as "queues", ${isAny(selectAbandonedImports(db))} as "imports",
      ${running} as "turns", ${compacting} as "compactions"`,
  );
  const turnLeases = parseJsonColumn(turnsSchema, found.turns, { table: 'turns', id: 'leases' });
  const compactionLeases = parseJsonColumn(compactionsSchema, found.compactions, { table: 'sessions', id: 'leases' });
  return {
    ofKeys: Boolean(found.ofKeys),
    queues: Boolean(found.queues),
    turns: turnLeases.some(({ id: turnId, owner, at }) =>
      watch.hasRunOut(leaseOf({ id: turnId, leaseOwner: owner, leaseExpiresAt: at }), now),
    ),
    compactions:
      Boolean(found.imports) ||
      compactionLeases.some(({ id: sessionId, owner, at }) => {
        const row = { compactionLeaseOwner: owner, compactionLeaseExpiresAt: at };
        return watch.hasRunOut(compactionLease({ id: sessionId, currentlyCompacting: true, ...row }), now, lateMs);
      }),
  };
}
