import type { SQL } from 'drizzle-orm';
import type { StoreTransaction } from '#server/store/database';
import { sessions } from '#server/store/schema';

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
