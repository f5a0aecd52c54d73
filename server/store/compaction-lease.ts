import { and, eq, or, type SQL } from 'drizzle-orm';
import type { StoreReader, StoreTransaction } from '#server/store/database';
import type { LeaseWatch, StoredLease } from '#server/store/lease-watch';
import { sessions } from '#server/store/schema';

/* Who compacts a session: the lease is in the session's own row. */

/** The columns that `compactionLease` reads. */
export const compactionLeaseColumns = {
  id: sessions.id,
  currentlyCompacting: sessions.currentlyCompacting,
  compactionLeaseOwner: sessions.compactionLeaseOwner,
  compactionLeaseExpiresAt: sessions.compactionLeaseExpiresAt,
} as const;

type Row = Pick<typeof sessions.$inferSelect, keyof typeof compactionLeaseColumns>;

/** The lease of whoever compacts the session; of nobody where it is not being compacted. */
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

/** Ends the compactions of these sessions, whoever ran them: the sessions are free. Returns how many there were. */
export async function releaseCompactions(tx: StoreTransaction, where: SQL | undefined): Promise<number> {
  const released = {
    currentlyCompacting: false,
    compactingSince: null,
    compactionLeaseOwner: null,
    compactionLeaseExpiresAt: null,
  };
  return (await tx.update(sessions).set(released).where(where).run()).rowsAffected;
}
