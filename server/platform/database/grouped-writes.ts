import { AsyncLocalStorage } from 'node:async_hooks';
import { StoreBusyError, StoreUncertainError, StoreUnavailableError } from '#server/core/errors';
import type { TransactionExecutor } from '#server/platform/database/transaction-executor';

/**
 * Maximum number of writes that share a transaction. The driver of an embedded file blocks the event loop while it runs
 * statements, so the process serves no other requests during a long transaction.
 */
const MAX_WRITES_PER_TRANSACTION = 32;
/**
 * Maximum number of turns that start in one transaction. After it, each turn works until it calls its model: if 100 turns
 * started together, the first would wait for the work of all others (`npm run bench:turns -- --cases many`).
 */
const MAX_TURN_STARTS_PER_TRANSACTION = 8;

/**
 * Runs `work` in one write transaction and commits it. It may run more than once.
 * @param startedAt start of its maximum wait; milliseconds of `performance.now()`
 */
export type Transact = <T>(work: (tx: TransactionExecutor) => Promise<T>, startedAt: number) => Promise<T>;

/**
 * Position among the waiting writes. Each transaction takes `ahead` (a running turn needs the write before it can call its
 * model; also retries), then `first` (the write starts a turn; at most `MAX_TURN_STARTS_PER_TRANSACTION`), then `in turn`
 * (all others).
 */
export type WriteOrder = 'ahead' | 'first' | 'in turn';

/** Durations of a write, in milliseconds: `waitedMs` for other writes, then `tookMs` until its commit. */
export interface WriteTimes {
  readonly waitedMs: number;
  readonly tookMs: number;
}

interface WaitingWrite {
  readonly requestedAt: number;
  /** Start of the last attempt, null before the first: earlier attempts count as waiting. */
  startedAt: number | null;
  run(tx: TransactionExecutor): Promise<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Result of one write of a group. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

/**
 * Group commit: writes that wait at the same moment share one transaction, each in a separate savepoint, so that a
 * failed write does not affect the others. A write resolves when the transaction is on disk, never before.
 */
export class GroupedWrites {
  readonly #transact: Transact;
  /** True for an error after which the transaction accepts no further statements. */
  readonly #endsTransaction: (error: unknown) => boolean;
  readonly #onWrite: ((times: WriteTimes) => void) | undefined;
  /** Each list in the order of the requests. */
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

  /** Queues a write. @throws what `work` or the transaction throws; then nothing of this write is stored */
  write<T>(work: (tx: TransactionExecutor) => Promise<T>, order: WriteOrder): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The first caller runs the group; the async context that each caller has set up must apply to its own work only.
    const asCaller = AsyncLocalStorage.snapshot();
    const write: WaitingWrite = {
      requestedAt: performance.now(),
      startedAt: null,
      run: (tx) => {
        write.startedAt = performance.now();
        return asCaller(work, tx);
      },
      resolve,
      reject,
    };
    this.#waiting[order].push(write);
    this.#draining ??= this.#drain();
    return promise.finally(() => this.#reportTimes(write));
  }

  /** Resolves when no write waits or runs. */
  async settled(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    const { ahead, first, 'in turn': others } = this.#waiting;
    while (ahead.length + first.length + others.length > 0) {
      // Collects the writes of this round of the event loop, and lets requests be read between two groups.
      await new Promise((resolve) => setImmediate(resolve));
      const group = ahead.splice(0, MAX_WRITES_PER_TRANSACTION);
      group.push(
        ...first.splice(0, Math.min(MAX_TURN_STARTS_PER_TRANSACTION, MAX_WRITES_PER_TRANSACTION - group.length)),
      );
      group.push(...others.splice(0, MAX_WRITES_PER_TRANSACTION - group.length));
      await this.#commit(group);
    }
    this.#draining = null;
  }

  async #commit(group: readonly WaitingWrite[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const oldest = group.reduce((one, other) => (other.requestedAt < one.requestedAt ? other : one));
    try {
      const outcomes = await this.#transact(
        async (tx): Promise<Outcome[]> =>
          group.length === 1 ? [{ result: await first.run(tx) }] : this.#runInSavepoints(tx, group),
        oldest.requestedAt,
      );
      for (const [index, outcome] of outcomes.entries()) settle(group[index], outcome);
    } catch (error) {
      if (group.length === 1 || error instanceof StoreUncertainError || error instanceof StoreUnavailableError) {
        for (const write of group) write.reject(error);
      } else if (error instanceof StoreBusyError) {
        // The other writes have not waited as long: they are tried again.
        oldest.reject(error);
        this.#waiting.ahead.unshift(...group.filter((write) => write !== oldest));
      } else {
        // The transaction itself failed, no matter during which write: each write is retried alone and gets its own
        // result.
        for (const write of group) await this.#commit([write]);
      }
    }
  }

  /** Runs each write in a savepoint of its own. @throws an error that ends the whole transaction */
  async #runInSavepoints(tx: TransactionExecutor, group: readonly WaitingWrite[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const write of group) {
      tx.savepoint();
      try {
        const result = await write.run(tx);
        tx.release();
        outcomes.push({ result });
      } catch (error) {
        if (this.#endsTransaction(error)) throw error;
        tx.rollBackToSavepoint();
        outcomes.push({ error });
      }
    }
    return outcomes;
  }

  #reportTimes({ requestedAt, startedAt }: WaitingWrite): void {
    const endedAt = performance.now();
    const waitedMs = (startedAt ?? endedAt) - requestedAt;
    this.#onWrite?.({ waitedMs, tookMs: endedAt - requestedAt - waitedMs });
  }
}

function settle(write: WaitingWrite | undefined, outcome: Outcome): void {
  if ('error' in outcome) write?.reject(outcome.error);
  else write?.resolve(outcome.result);
}
