import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreBusyError, StoreUncertainError, StoreUnavailableError } from '#server/core/errors';
import type { StatementExecutor } from '#server/store/remote-connection';

/** Writes that share a transaction at most: nobody else is served while an embedded file runs them. */
const MOST_TOGETHER = 32;
/**
 * Turns that begin in one transaction at most. Each then works until its model is asked: of 100 that come at once, the
 * first would wait for all others otherwise (`npm run bench:turns -- --cases many`).
 */
const MOST_BEGINNING = 8;

/**
 * Runs `work` in one write transaction and commits it. It may run more than once.
 * @param startedAt from when its patience counts; milliseconds of `performance.now()`
 */
export type Transact = <T>(work: (tx: StatementExecutor) => Promise<T>, startedAt: number) => Promise<T>;

/**
 * Position among the writes that wait. `ahead`: a turn that has begun cannot ask its model before, or it is tried again;
 * `first`: it begins a turn, few of which share a transaction; `in turn`: what room is left there.
 */
export type WriteOrder = 'ahead' | 'first' | 'in turn';

/** Durations of a write: its wait for others, then the time to its commit; milliseconds. */
export interface WriteTimes {
  readonly waitedMs: number;
  readonly tookMs: number;
}

interface WaitingWrite {
  readonly askedAt: number;
  /** Start of the attempt that counts: earlier ones were waiting, too. */
  begunAt: number | null;
  run(tx: StatementExecutor): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * Group commit: writes that wait at the same moment share one transaction, each in a savepoint of its own, so that one
 * that fails takes no other with it. A write is answered when the transaction is on disk, never before.
 */
export class GroupedWrites {
  readonly #transact: Transact;
  /** True for an error after which the transaction takes nothing more. */
  readonly #endsTransaction: (error: unknown) => boolean;
  readonly #onWrite: ((times: WriteTimes) => void) | undefined;
  /** Each in the order in which they were asked for. */
  readonly #waiting: Record<WriteOrder, WaitingWrite[]> = { ahead: [], first: [], 'in turn': [] };
  #draining: Promise<void> | null = null;

  constructor(
    transact: Transact,
    endsTransaction: (error: unknown) => boolean,
    onWrite: ((times: WriteTimes) => void) | undefined,
  ) {
    this.#transact = transact;
    this.#endsTransaction = endsTransaction;
    this.#onWrite = onWrite;
  }

  /** @throws what `work` throws, or the transaction: then nothing of this write stands */
  write<T>(work: (tx: StatementExecutor) => Promise<T>, order: WriteOrder): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The group is run by whoever came first; what a caller has set up for its own work holds for that alone.
    const asCaller = AsyncLocalStorage.snapshot();
    const write: WaitingWrite = {
      askedAt: performance.now(),
      begunAt: null,
      run: (tx) => {
        write.begunAt = performance.now();
        return asCaller(work, tx);
      },
      resolve,
      reject,
    };
    this.#waiting[order].push(write);
    this.#draining ??= this.#drain();
    return promise.finally(() => this.#tell(write));
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    const { ahead, first, 'in turn': others } = this.#waiting;
    while (ahead.length + first.length + others.length > 0) {
      // What this round of the event loop still has to write comes along, and requests are read between two groups.
      await new Promise((resolve) => setImmediate(resolve));
      const group = ahead.splice(0, MOST_TOGETHER);
      group.push(...first.splice(0, Math.min(MOST_BEGINNING, MOST_TOGETHER - group.length)));
      group.push(...others.splice(0, MOST_TOGETHER - group.length));
      await this.#commit(group);
    }
    this.#draining = null;
  }

  async #commit(group: readonly WaitingWrite[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const oldest = group.reduce((one, other) => (other.askedAt < one.askedAt ? other : one));
    try {
      const outcomes = await this.#transact(
        async (tx): Promise<Outcome[]> =>
          group.length === 1 ? [{ result: await first.run(tx) }] : this.#each(tx, group),
        oldest.askedAt,
      );
      for (const [index, outcome] of outcomes.entries()) settle(group[index], outcome);
    } catch (error) {
      if (group.length === 1 || error instanceof StoreUncertainError || error instanceof StoreUnavailableError) {
        for (const write of group) write.reject(error);
      } else if (error instanceof StoreBusyError) {
        // The others have not waited as long.
        oldest.reject(error);
        this.#waiting.ahead.unshift(...group.filter((write) => write !== oldest));
      } else {
        // The transaction itself broke, at whosever work: each is tried alone, and told for itself.
        for (const write of group) await this.#commit([write]);
      }
    }
  }

  async #each(tx: StatementExecutor, group: readonly WaitingWrite[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const write of group) {
      await tx.execute('savepoint one');
      try {
        outcomes.push({ result: await write.run(tx) });
      } catch (error) {
        if (this.#endsTransaction(error)) throw error;
        await tx.execute('rollback to one');
        outcomes.push({ error });
      }
      await tx.execute('release one');
    }
    return outcomes;
  }

  #tell({ askedAt, begunAt }: WaitingWrite): void {
    const endedAt = performance.now();
    const waitedMs = (begunAt ?? endedAt) - askedAt;
    this.#onWrite?.({ waitedMs, tookMs: endedAt - askedAt - waitedMs });
  }
}

function settle(write: WaitingWrite | undefined, outcome: Outcome): void {
  if ('error' in outcome) write?.reject(outcome.error);
  else write?.resolve(outcome.result);
}
