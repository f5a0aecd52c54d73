import { and, eq } from 'drizzle-orm';
import { ConflictError } from '#server/core/errors';
import type { Database } from '#server/store/database';
import { LeaseWatch, newLease, type StoredLease } from '#server/store/lease-watch';
import { leases } from '#server/store/schema/installation';

const DEFAULT_LASTS_MS = 15_000;
const DEFAULT_POLL_MS = 50;

export interface LeaseOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** How long a lease lasts that nobody renews, milliseconds: so long others wait for a process that died. */
  readonly lastsMs?: number;
  /** How often it is looked whether a lease has become free, milliseconds. */
  readonly pollMs?: number;
  /** Default: one of its own, on the clock of `now`. */
  readonly watch?: LeaseWatch;
}

/** Work that one process at a time may do: whoever holds the row of a name does it. */
export interface Leases {
  /**
   * Runs `work` while it holds the lease, and gives it back. Somebody else's is waited for, at most `waitMs` (default
   * 0). The lease is renewed meanwhile; should it be lost all the same, `signal` is aborted.
   * @throws ConflictError where it stays held
   */
  withLease<T>(name: string, work: (signal: AbortSignal) => Promise<T>, options?: { waitMs?: number }): Promise<T>;
  /** As `withLease`, but gives null at once, with nothing done, where somebody else holds it. */
  ifFree<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
}

/** Leases of all processes that share this database. */
export function createLeases(
  db: Database,
  {
    now = Date.now,
    lastsMs = DEFAULT_LASTS_MS,
    pollMs = DEFAULT_POLL_MS,
    watch = new LeaseWatch(now),
  }: LeaseOptions = {},
): Leases {
  /** Whether `owner` holds it now: it was free, it had run out, or it was theirs already. */
  async function take(name: string, owner: string): Promise<boolean> {
    return db.write(async (tx) => {
      // Not before: the writer may have been waited for.
      const time = now();
      const held = await tx.select().from(leases).where(eq(leases.name, name)).get();
      if (held && held.owner !== owner && !watch.hasRunOut(stored(held), time)) return false;
      const row = { name, owner, expiresAt: time + lastsMs };
      await tx.insert(leases).values(row).onConflictDoUpdate({ target: leases.name, set: row });
      watch.note(stored(row));
      return true;
    });
  }

  async function release(name: string, owner: string): Promise<void> {
    await db.write(async (tx) => {
      await tx.delete(leases).where(and(eq(leases.name, name), eq(leases.owner, owner)));
    });
  }

  async function hold<T>(name: string, owner: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const lost = new AbortController();
    const renew = async () => {
      if (!(await take(name, owner))) lost.abort(new ConflictError(`The lease "${name}" was lost.`));
    };
    // A renewal that fails is tried again: the lease outlasts several of them.
    const renewing = setInterval(() => void renew().catch(() => undefined), lastsMs / 4);
    renewing.unref();
    try {
      return await work(lost.signal);
    } finally {
      clearInterval(renewing);
      // What cannot be given back runs out.
      await release(name, owner).catch(() => undefined);
    }
  }

  return {
    async withLease(name, work, { waitMs = 0 } = {}) {
      const owner = newLease(lastsMs).leaseOwner;
      const deadline = Date.now() + waitMs;
      while (!(await take(name, owner))) {
        if (Date.now() >= deadline) {
          throw new ConflictError('Somebody else is doing this right now. Try again in a moment.', {
            details: { lease: name },
          });
        }
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
      return hold(name, owner, work);
    },

    async ifFree(name, work) {
      const owner = newLease(lastsMs).leaseOwner;
      return (await take(name, owner)) ? hold(name, owner, work) : null;
    },
  };
}

function stored({ name, ...lease }: typeof leases.$inferSelect): StoredLease {
  return { name: `lease:${name}`, ...lease };
}
