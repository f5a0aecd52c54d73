import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { NotFoundError } from '#server/core/errors';
import type { Lease } from '#server/core/turns';
import { builtOnce, type Database, type StoreReader, type StoreTransaction } from '#server/store/database';
import { isSession } from '#server/store/delete-session';
import type { LeaseWatch, StoredLease } from '#server/store/leases';
import { sessions } from '#server/store/schema/sessions';

/* The right to compact a session: one process at a time has it. It is stored in the session's own row. */

/** The columns that `compactionLease` reads. */
export const compactionLeaseColumns = {
  id: sessions.id,
  currentlyCompacting: sessions.currentlyCompacting,
  compactionLeaseOwner: sessions.compactionLeaseOwner,
  compactionLeaseExpiresAt: sessions.compactionLeaseExpiresAt,
} as const;

type Row = Pick<typeof sessions.$inferSelect, keyof typeof compactionLeaseColumns>;

/** The compaction lease in a session's row; without an owner when it is not being compacted. */
export function compactionLease(row: Row): StoredLease {
  const name = `compaction:${row.id}`;
  if (!row.currentlyCompacting) return { name, owner: null, expiresAt: null };
  return { name, owner: row.compactionLeaseOwner, expiresAt: row.compactionLeaseExpiresAt };
}

/** Sessions that are marked as being compacted, by processes dead or alive. */
export async function compactedSessions(db: Pick<StoreReader, 'select'>, where?: SQL): Promise<Row[]> {
  return db
    .select(compactionLeaseColumns)
    .from(sessions)
    .where(and(eq(sessions.currentlyCompacting, true), where));
}

/**
 * Ends the compactions of these sessions whose lease has run out.
 * @param lateMs how much longer one is waited for that may only be late to renew
 * @returns how many there were
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

/** Ends the compactions of these sessions, in whichever process they run. Returns how many there were. */
export async function releaseCompactions(tx: StoreTransaction, where: SQL | undefined): Promise<number> {
  const released = {
    currentlyCompacting: false,
    compactingSince: null,
    compactionLeaseOwner: null,
    compactionLeaseExpiresAt: null,
  };
  return (await tx.update(sessions).set(released).where(where).run()).rowsAffected;
}

const findCompacted = builtOnce((db: Pick<StoreReader, 'select'>) =>
  db
    .select(compactionLeaseColumns)
    .from(sessions)
    .where(and(eq(sessions.id, sql.placeholder('sessionId')), eq(sessions.currentlyCompacting, true)))
    .prepare(),
);

/** The lease of a session that is being compacted; null: nobody does, or its process has died. */
export async function findCompactionLease(
  reader: Pick<StoreReader, 'select'>,
  sessionId: string,
  watch: LeaseWatch,
  now: number,
): Promise<StoredLease | null> {
  const row = await findCompacted(reader).get({ sessionId });
  const lease = row && compactionLease(row);
  return lease && !watch.hasRunOut(lease, now) ? lease : null;
}

/** Takes, releases and cancels the right to compact a session. */
export interface CompactionLeases {
  /**
   * Marks the session as being compacted, or renews the owner's lease.
   * @returns false when another owner holds a lease that has not run out
   * @throws NotFoundError
   */
  acquire(sessionId: string, lease: Lease): Promise<boolean>;
  /** Ends what `acquire` began; does nothing when another owner has the lease by then. */
  release(sessionId: string, leaseOwner: string): Promise<void>;
  /**
   * Takes the lease away. Its holder learns of it at the next renewal and can no longer store a result.
   * @returns false when nobody compacts the session
   */
  cancel(sessionId: string): Promise<boolean>;
  /** True when `cancel` has taken the lease away from this owner. */
  isCancelled(sessionId: string, leaseOwner: string): Promise<boolean>;
  /** True while a process that is alive compacts the session. */
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
          .where(isSession(sessionId))
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

/** Stands in front of the owner whose lease was taken away. */
const CANCELLED_OWNER = 'cancelled:';

function cancelledOwner(leaseOwner: string): string {
  return `${CANCELLED_OWNER}${leaseOwner}`;
}
