import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import type { Lease } from '#server/core/conversation/turns';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/platform/database/database';
import { isLiveSession } from '#server/conversation/store/sessions/delete-session';
import type { LeaseWatch, StoredLease } from '#server/platform/database/leases';
import { sessions } from '#server/platform/database/schema/sessions';

/* The lease for compacting a session: one process holds it at a time. It is stored in the session's row. */

/** The columns that `compactionLease` reads. */
export const compactionLeaseColumns = {
  id: sessions.id,
  currentlyCompacting: sessions.currentlyCompacting,
  compactionLeaseOwner: sessions.compactionLeaseOwner,
  compactionLeaseExpiresAt: sessions.compactionLeaseExpiresAt,
} as const;

type Row = Pick<typeof sessions.$inferSelect, keyof typeof compactionLeaseColumns>;

/** The compaction lease in a session's row; without an owner if no compaction runs. */
export function compactionLease(row: Row): StoredLease {
  const name = `compaction:${row.id}`;
  if (!row.currentlyCompacting) return { name, owner: null, expiresAt: null };
  return { name, owner: row.compactionLeaseOwner, expiresAt: row.compactionLeaseExpiresAt };
}

/** Sessions that are marked as being compacted, by live or dead processes. */
export async function compactedSessions(db: StoreReader, where?: SQL): Promise<Row[]> {
  return db
    .select(compactionLeaseColumns)
    .from(sessions)
    .where(and(eq(sessions.currentlyCompacting, true), where));
}

/**
 * Ends the compactions of these sessions whose lease has expired.
 * @param lateMs additional wait for a process that may only be late to renew
 * @returns number of ended compactions
 */
export async function releaseDead(
  tx: StoreTransaction,
  { watch, now, lateMs = 0 }: { readonly watch: LeaseWatch; readonly now: number; readonly lateMs?: number },
  where?: SQL,
): Promise<number> {
  const rows = await compactedSessions(tx, where);
  const dead = rows.filter((row) => watch.hasRunOut(compactionLease(row), now, lateMs));
  if (dead.length === 0) return 0;
  return releaseCompactions(tx, or(...dead.map(({ id }) => eq(sessions.id, id))));
}

/** Ends the compactions of these sessions in any process. Returns their number. */
export async function releaseCompactions(tx: StoreTransaction, where: SQL | undefined): Promise<number> {
  const released = {
    currentlyCompacting: false,
    compactingSince: null,
    compactionLeaseOwner: null,
    compactionLeaseExpiresAt: null,
  };
  return (await tx.update(sessions).set(released).where(where).run()).rowsAffected;
}

const findCompacted = builtOnce((db: StoreReader) =>
  db
    .select(compactionLeaseColumns)
    .from(sessions)
    .where(and(eq(sessions.id, sql.placeholder('sessionId')), eq(sessions.currentlyCompacting, true)))
    .prepare(),
);

/** The lease of a session that is being compacted; null: no compaction runs, or its process has died. */
export async function findCompactionLease(
  reader: StoreReader,
  sessionId: string,
  watch: LeaseWatch,
  now: number,
): Promise<StoredLease | null> {
  const row = await findCompacted(reader).get({ sessionId });
  const lease = row && compactionLease(row);
  return lease && !watch.hasRunOut(lease, now) ? lease : null;
}

/** Acquires, releases and cancels the lease for compacting a session. */
export interface CompactionLeases {
  /**
   * Marks the session as being compacted, or renews the owner's lease.
   * @returns false if another owner holds a lease that has not expired
   * @throws NotFoundError
   */
  acquire(sessionId: string, lease: Lease): Promise<boolean>;
  /** Releases the lease of `acquire`; does nothing if another owner holds it by then. */
  release(sessionId: string, leaseOwner: string): Promise<void>;
  /**
   * Revokes the lease. Its holder notices at the next renewal and can no longer store a result.
   * @returns false if no compaction of the session runs
   */
  cancel(sessionId: string): Promise<boolean>;
  /** True if `cancel` has revoked the lease of this owner. */
  isCancelled(sessionId: string, leaseOwner: string): Promise<boolean>;
  /** True while a live process compacts the session. */
  isCompacting(sessionId: string): Promise<boolean>;
}

export function createCompactionLeases(db: Database, now: () => number, watch: LeaseWatch): CompactionLeases {
  return {
    acquire: (sessionId, { leaseOwner, leaseMs }) =>
      db.write(async (tx) => {
        const time = now();
        const held = await findCompactionLease(tx, sessionId, watch, time);
        if (held && held.owner !== leaseOwner) return false;
        const mine = eq(sessions.compactionLeaseOwner, leaseOwner);
        const row = await tx
          .update(sessions)
          .set({
            currentlyCompacting: true,
            compactingSince: sql`case when ${mine} then ${sessions.compactingSince} else ${time} end`,
            compactionLeaseOwner: leaseOwner,
            compactionLeaseExpiresAt: time + leaseMs,
          })
          .where(isLiveSession(sessionId))
          .returning(compactionLeaseColumns)
          .get();
        if (!row) throw new NotFoundError('session', sessionId);
        watch.note(compactionLease(row));
        return true;
      }),

    async release(sessionId, leaseOwner) {
      const owners = [leaseOwner, cancelledOwner(leaseOwner)];
      const mine = and(eq(sessions.id, sessionId), inArray(sessions.compactionLeaseOwner, owners));
      await db.write((tx) => releaseCompactions(tx, mine));
    },

    cancel: (sessionId) =>
      db.write(async (tx) => {
        const lease = await findCompactionLease(tx, sessionId, watch, now());
        if (!lease) return false;
        const owner = lease.owner ?? '';
        if (!owner.startsWith(CANCELLED_OWNER))
          await tx
            .update(sessions)
            .set({ compactionLeaseOwner: cancelledOwner(owner) })
            .where(eq(sessions.id, sessionId));
        return true;
      }),

    async isCancelled(sessionId, leaseOwner) {
      const row = await db.read
        .select({ owner: sessions.compactionLeaseOwner })
        .from(sessions)
        .where(eq(sessions.id, sessionId))
        .get();
      return row?.owner === cancelledOwner(leaseOwner);
    },

    isCompacting: async (sessionId) => (await findCompactionLease(db.read, sessionId, watch, now())) !== null,
  };
}

/** Prefix of an owner whose lease was revoked. */
const CANCELLED_OWNER = 'cancelled:';

function cancelledOwner(leaseOwner: string): string {
  return `${CANCELLED_OWNER}${leaseOwner}`;
}
