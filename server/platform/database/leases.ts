import type { Clock } from '#server/core/process';
import { and, eq } from 'drizzle-orm';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Lease } from '#server/core/conversation/turns';
import { serverText } from '#server/core/messages/server-text';
import type { Database } from '#server/platform/database/database';
import { type HolderState, type LeaseHolder, stateOf, thisProcess } from '#server/platform/database/lease-holder';
import { leases } from '#server/platform/database/schema/installation';

/*
 * A lease is the right of one process to do some work. Turns, compactions and the rows of the table `leases` all follow
 * the same rule for its end:
 *
 * Clocks of other machines are not trusted. A holder renews its lease, so a lease that was not renewed for its length, as
 * measured here, has expired, regardless of the stored time. Processes of this machine can be checked: the lease of a
 * dead process expires immediately; the lease of a live process lasts its whole length, and that of a turn longer
 * (`aliveMs`), because the database itself may have delayed the renewal.
 */

/** A lease in its stored form. */
export interface StoredLease {
  /** Unique among the leases of all kinds. */
  readonly name: string;
  readonly owner: string | null;
  /** By the clock of its holder, epoch milliseconds. */
  readonly expiresAt: number | null;
  /**
   * Extra time for which it lasts while its holder is another process of this machine that is proved to be alive;
   * milliseconds. Default 0.
   */
  readonly aliveMs?: number;
}

/** A stored state of a lease, and when this process first saw it. */
interface Sighting {
  readonly owner: string;
  readonly expiresAt: number;
  /** Time at which this process first saw it, by the monotonic clock of the watch. */
  readonly since: number;
}

/** Length of a lease whose owner field does not contain it, as in older versions; milliseconds. */
const DEFAULT_LENGTH_MS = 15_000;
/**
 * Maximum number of leases that are remembered: more than are ever active at once. A forgotten lease is watched again from
 * the start, so that it lasts longer but never shorter.
 */
const MAX_REMEMBERED = 10_000;

/**
 * Creates a lease of this process. Its owner field names the process and the length, so that others can find out whether
 * the lease has expired.
 * @param leaseMs length without a renewal; milliseconds
 */
export function newLease(leaseMs: number): Lease {
  const { machine, namespace, pid, startedAt } = thisProcess();
  return { leaseOwner: [machine, namespace, pid, startedAt, leaseMs, createId('own')].join('/'), leaseMs };
}

/** Decides which leases have expired. Shared by all repositories of a process, so that each lease is watched once. */
export class LeaseWatch {
  readonly #seen = new Map<string, Sighting>();
  readonly #elapsed: () => number;
  readonly #defaultMs: number;
  readonly #stateOf: (holder: LeaseHolder) => HolderState;

  /**
   * @param elapsed milliseconds on a monotonic clock. Default: the time since the start of this process
   * @param defaultMs length of leases whose owner field does not contain it (those of an older version). Default 15 seconds
   * @param probe finds out the state of a process; replaced by tests
   */
  constructor(
    elapsed: () => number = () => performance.now(),
    defaultMs: number = DEFAULT_LENGTH_MS,
    probe: (holder: LeaseHolder) => HolderState = stateOf,
  ) {
    this.#stateOf = probe;
    this.#elapsed = elapsed;
    this.#defaultMs = defaultMs;
  }

  /** Records a lease that this process has just written. A lease that is only read is recorded by `hasRunOut`. */
  note({ name, owner, expiresAt }: StoredLease): Sighting {
    const now = this.#elapsed();
    const last = this.#seen.get(name);
    const isSame = last?.owner === owner && last?.expiresAt === expiresAt;
    const sighting = { owner: owner ?? '', expiresAt: expiresAt ?? 0, since: isSame ? Math.min(last.since, now) : now };
    // The least recently checked lease is forgotten first.
    this.#seen.delete(name);
    this.#seen.set(name, sighting);
    for (const [oldest] of this.#seen) {
      if (this.#seen.size <= MAX_REMEMBERED) break;
      this.#seen.delete(oldest);
    }
    return sighting;
  }

  /**
   * True if the lease has no holder or has expired.
   * @param now epoch milliseconds on our clock
   * @param lateMs additional wait for a holder that may only be late to renew; default 0
   */
  hasRunOut(lease: StoredLease, now: number, lateMs = 0): boolean {
    if (lease.owner === null || lease.expiresAt === null) return true;
    const { since } = this.note(lease);
    const named = parseOwner(lease.owner);
    const state = named ? this.#stateOf(named.holder) : 'unsure';
    if (state === 'dead') return true;
    const moreMs = state === 'alive' ? Math.max(lateMs, lease.aliveMs ?? 0) : lateMs;
    if (this.#elapsed() - since >= (named?.leaseMs ?? this.#defaultMs) + moreMs) return true;
    // A lease of an older version is judged as in that version: by the clock.
    return named === null && lease.expiresAt <= now - lateMs;
  }
}

/**
 * `machine/namespace/pid/start/length/id`, optionally after marks, each with a colon. Null: written by an older
 * version.
 */
function parseOwner(owner: string): { readonly holder: LeaseHolder; readonly leaseMs: number } | null {
  const fields = /^(?:\w+:)*([^/]+)\/(\d*)\/(\d+)\/(\d*)\/(\d+)\/\w+$/.exec(owner);
  if (!fields) return null;
  const [, machine = '', namespace = '', pid, startedAt = '', leaseMs] = fields;
  return { holder: { machine, namespace, pid: Number(pid), startedAt }, leaseMs: Number(leaseMs) };
}

/** How long others wait after a process died in the middle of its work. */
const DEFAULT_LASTS_MS = 15_000;
const DEFAULT_POLL_MS = 50;

/**
 * Renews a lease at a fixed interval, until the returned function is called. A failed renewal is ignored: the next one
 * follows well before the lease expires.
 * @param everyMs at most a third of the lease's length; milliseconds
 */
export function keepRenewing(renew: () => Promise<void>, everyMs: number): () => void {
  const renewing = setInterval(() => void renew().catch(() => undefined), everyMs);
  renewing.unref();
  return () => clearInterval(renewing);
}

interface LeaseOptions extends Partial<Clock> {
  /** Duration of a lease that is not renewed, milliseconds: others wait this long after its process died. */
  readonly lastsMs?: number;
  /** Interval of checking whether a lease has become free, milliseconds. */
  readonly pollMs?: number;
  /** Default: a separate watch, on the clock of `now`. */
  readonly watch?: LeaseWatch;
}

/** Named leases for work that only one process at a time may do. */
export interface Leases {
  /**
   * Takes the lease, runs `work`, renews the lease meanwhile, and releases it afterwards. Waits at most `waitMs` (default
   * 0) for a lease that is held elsewhere. Aborts `signal` if the lease is lost.
   * @throws ConflictError if the lease stays held
   */
  withLease<T>(name: string, work: (signal: AbortSignal) => Promise<T>, options?: { waitMs?: number }): Promise<T>;
  /** Like `withLease`, but returns null immediately, with nothing done, if the lease is held elsewhere. */
  ifFree<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | null>;
}

/** Creates the leases that are shared by all processes on this database. */
export function createLeases(
  db: Database,
  {
    now = Date.now,
    lastsMs = DEFAULT_LASTS_MS,
    pollMs = DEFAULT_POLL_MS,
    watch = new LeaseWatch(now),
  }: LeaseOptions = {},
): Leases {
  /** Takes the lease if it is free, has expired, or is already held by `owner`. */
  async function take(name: string, owner: string): Promise<boolean> {
    return db.write(async (tx) => {
      // Read only here, because the write may have waited.
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
    const stopRenewing = keepRenewing(async () => {
      if (!(await take(name, owner))) lost.abort(new ConflictError(serverText('lease-lost')));
    }, lastsMs / 4);
    try {
      return await work(lost.signal);
    } finally {
      stopRenewing();
      // A lease that cannot be released expires.
      await release(name, owner).catch(() => undefined);
    }
  }

  return {
    async withLease(name, work, { waitMs = 0 } = {}) {
      const owner = newLease(lastsMs).leaseOwner;
      const deadline = Date.now() + waitMs;
      while (!(await take(name, owner))) {
        if (Date.now() >= deadline) {
          throw new ConflictError(serverText('done-elsewhere'), {
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
