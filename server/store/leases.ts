import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { and, eq } from 'drizzle-orm';
import { ConflictError } from '#server/core/errors';
import { createId } from '#server/core/ids';
import type { Lease } from '#server/core/turns';
import type { Database } from '#server/store/database';
import { leases } from '#server/store/schema/installation';

/**
 * The one rule about leases: turns, compactions and the rows of `leases` all follow it.
 *
 * Clocks of other machines are not trusted. A holder renews its lease, so a lease that nobody has renewed for its length,
 * as measured here, has run out, whatever time is written in it. Processes of this machine can be looked up: a lease of a
 * dead one has run out at once, a live one gets the whole length, and its turns even longer, because the store itself may
 * have kept it from renewing.
 */

/** A lease as it is stored. */
export interface StoredLease {
  /** Unique in the database. */
  readonly name: string;
  readonly owner: string | null;
  /** By the clock of its holder, epoch milliseconds. */
  readonly expiresAt: number | null;
  /** Extra time it lasts while another process of this machine, proved alive, holds it; milliseconds. Default 0. */
  readonly aliveMs?: number;
}

/** A process that holds leases, as its leases name it. */
interface Holder {
  /** Id of the boot of its machine, or the machine's name where there is none. */
  readonly machine: string;
  /** Number of its PID namespace: containers share process ids. Empty: unknown. */
  readonly namespace: string;
  readonly pid: number;
  /** Start of the process, in ticks since the boot: process ids are used again. Empty: unknown. */
  readonly startedAt: string;
}

/**
 * Verdict on a holder as seen from here. `own`: this process, which renews what it still holds. `dead` and `alive`:
 * another one of this machine, proved. `unsure`: on another machine, or in another container, or hidden.
 */
type Fate = 'own' | 'dead' | 'alive' | 'unsure';

interface Sighting {
  readonly owner: string;
  readonly expiresAt: number;
  /** Time this was first seen here, on the watch's own clock. */
  readonly since: number;
}

/** Time that a lease lasts which does not say how long; milliseconds. */
const USUAL_LENGTH_MS = 15_000;
/** Leases that are kept in mind. More never run at once; one that is forgotten is watched anew. */
const MAX_SEEN = 10_000;

/** A lease of this process: its owner says which process holds it and how long it lasts, so that others can judge it. */
export function newLease(leaseMs: number): Lease {
  const { machine, namespace, pid, startedAt } = thisProcess();
  return { leaseOwner: [machine, namespace, pid, startedAt, leaseMs, createId('own')].join('/'), leaseMs };
}

/** Tells which leases have run out. Shared by all repositories of a process, so that each lease is watched once. */
export class LeaseWatch {
  readonly #seen = new Map<string, Sighting>();
  readonly #elapsed: () => number;
  readonly #usualMs: number;
  readonly #fateOf: (holder: Holder) => Fate;

  /**
   * @param elapsed milliseconds on a clock that nobody sets. Default: the time since this process began
   * @param usualMs length of leases whose owner does not say it (those of an older version). Default 15 seconds
   * @param probe tells how far a process can be judged from here
   */
  constructor(
    elapsed: () => number = () => performance.now(),
    usualMs: number = USUAL_LENGTH_MS,
    probe: (holder: Holder) => Fate = fateOf,
  ) {
    this.#fateOf = probe;
    this.#elapsed = elapsed;
    this.#usualMs = usualMs;
  }

  /** Notes a lease that was written just now; one that is only read is noted by `hasRunOut`. */
  note({ name, owner, expiresAt }: StoredLease): Sighting {
    const now = this.#elapsed();
    const last = this.#seen.get(name);
    const isSame = last?.owner === owner && last?.expiresAt === expiresAt;
    const sighting = { owner: owner ?? '', expiresAt: expiresAt ?? 0, since: isSame ? Math.min(last.since, now) : now };
    // What was looked at longest ago is forgotten first.
    this.#seen.delete(name);
    this.#seen.set(name, sighting);
    for (const [oldest] of this.#seen) {
      if (this.#seen.size <= MAX_SEEN) break;
      this.#seen.delete(oldest);
    }
    return sighting;
  }

  /**
   * True when nobody holds the lease any more.
   * @param now epoch milliseconds on our clock
   * @param lateMs how much longer one is waited for that may only be late to renew; default 0
   */
  hasRunOut(lease: StoredLease, now: number, lateMs = 0): boolean {
    if (lease.owner === null || lease.expiresAt === null) return true;
    const { since } = this.note(lease);
    const named = parseOwner(lease.owner);
    const fate = named ? this.#fateOf(named.holder) : 'unsure';
    if (fate === 'dead') return true;
    const moreMs = fate === 'alive' ? Math.max(lateMs, lease.aliveMs ?? 0) : lateMs;
    if (this.#elapsed() - since >= (named?.leaseMs ?? this.#usualMs) + moreMs) return true;
    // A lease of an older version is judged as that version did: by the clock.
    return named === null && lease.expiresAt <= now - lateMs;
  }
}

/** `machine/namespace/pid/start/length/id`, perhaps behind marks, each with a colon. Null: written by an older version. */
function parseOwner(owner: string): { readonly holder: Holder; readonly leaseMs: number } | null {
  const fields = /^(?:\w+:)*([^/]+)\/(\d*)\/(\d+)\/(\d*)\/(\d+)\/\w+$/.exec(owner);
  if (!fields) return null;
  const [, machine = '', namespace = '', pid, startedAt = '', leaseMs] = fields;
  return { holder: { machine, namespace, pid: Number(pid), startedAt }, leaseMs: Number(leaseMs) };
}

let own: Holder | undefined;

function thisProcess(): Holder {
  return (own ??= describeThisProcess() ?? { machine: hostname(), namespace: '', pid: process.pid, startedAt: '' });
}

/** Null where the system does not say all of it: it is not Linux, or /proc is not ours. */
function describeThisProcess(): Holder | null {
  try {
    if (readlinkSync('/proc/self') !== String(process.pid)) return null;
    const machine = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
    const startedAt = readStat(process.pid)?.startedAt;
    return machine && namespace && startedAt ? { machine, namespace, pid: process.pid, startedAt } : null;
  } catch {
    return null;
  }
}

function fateOf({ machine, namespace, pid, startedAt }: Holder): Fate {
  const here = thisProcess();
  if (machine !== here.machine || namespace !== here.namespace) return 'unsure';
  if (pid === here.pid && startedAt === here.startedAt) return 'own';
  if (namespace === '') return 'unsure';
  if (!isProcess(pid)) return 'dead';
  const stat = readStat(pid);
  if (stat === null) return 'unsure';
  return stat.startedAt === startedAt && stat.runs ? 'alive' : 'dead';
}

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, and is there.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Null where it cannot be read: other users' processes may be hidden. */
function readStat(pid: number): { readonly startedAt: string; readonly runs: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The second field is the program's name in brackets and may hold anything. Numbers as in proc(5): 3 and 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const startedAt = fields[22 - 3];
    // A zombie runs no more; nobody has asked for its exit code yet.
    return startedAt === undefined ? null : { startedAt, runs: !/^[ZX]/.test(fields[0] ?? '') };
  } catch {
    return null;
  }
}

const DEFAULT_LASTS_MS = 15_000;
const DEFAULT_POLL_MS = 50;

/** Renews a lease every so many milliseconds, until the returned function is called. The next renewal makes good a failed one. */
export function keepRenewing(renew: () => Promise<void>, everyMs: number): () => void {
  const renewing = setInterval(() => void renew().catch(() => undefined), everyMs);
  renewing.unref();
  return () => clearInterval(renewing);
}

export interface LeaseOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Duration of a lease that nobody renews, milliseconds: others wait so long for a process that died. */
  readonly lastsMs?: number;
  /** Polling interval for a lease to become free, milliseconds. */
  readonly pollMs?: number;
  /** Default: one of its own, on the clock of `now`. */
  readonly watch?: LeaseWatch;
}

/** Named leases for work that one process at a time may do. */
export interface Leases {
  /**
   * Runs `work` while it holds the lease, renewing it, and gives it back. Waits at most `waitMs` (default 0) for a lease
   * that is held elsewhere. Aborts `signal` if the lease is lost.
   * @throws ConflictError when the lease stays held
   */
  withLease<T>(name: string, work: (signal: AbortSignal) => Promise<T>, options?: { waitMs?: number }): Promise<T>;
  /** Like `withLease`, but returns null at once, with nothing done, when the lease is held elsewhere. */
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
  /** Takes the lease if it is free, has run out, or is held by `owner` already. */
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
    const stopRenewing = keepRenewing(async () => {
      if (!(await take(name, owner))) lost.abort(new ConflictError(`The lease "${name}" was lost.`));
    }, lastsMs / 4);
    try {
      return await work(lost.signal);
    } finally {
      stopRenewing();
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
          throw new ConflictError('Another process is doing this right now. Try again in a moment.', {
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
