import { setTimeout as delay } from 'node:timers/promises';
import { ThroughlineError } from '#server/core/errors';

/**
 * How long a running turn goes on trying to store what it has, from the first refusal on; milliseconds. Long enough for
 * a backup or another program that holds the file, short enough that a paid answer is not read that nobody will keep.
 */
const TURN_PATIENCE_MS = 120_000;
/** Between two tries, each of which waits for some seconds itself; milliseconds. */
const PAUSE_MS = 200;

interface PatienceOptions {
  /** Default two minutes. */
  readonly mostMs?: number | undefined;
  /** Aborts when a try that has failed must be the last: the server stops, or the turn is somebody else's. */
  readonly ending: AbortSignal;
  /** Told of the first refusal of each outage. */
  readonly onRefused: (error: unknown) => void;
}

/**
 * The writes of one running turn to a store that refuses them for a while: each is tried again until the store takes it.
 * All of them share the time, which begins with the first refusal and starts afresh when a write gets through; once it is
 * over, a write is tried once.
 */
export class StorePatience {
  readonly #options: PatienceOptions;
  #refusedSince: number | null = null;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** @throws what the store says, once there is no more time, or where another try is of no use */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const { mostMs = TURN_PATIENCE_MS, ending, onRefused } = this.#options;
    for (;;) {
      try {
        const result = await work();
        this.#refusedSince = null;
        return result;
      } catch (error) {
        if (!mayPass(error)) throw error;
        if (this.#refusedSince === null) onRefused(error);
        this.#refusedSince ??= performance.now();
        if (ending.aborted || performance.now() - this.#refusedSince >= mostMs) throw error;
        await delay(PAUSE_MS, undefined, { signal: ending }).catch(() => undefined);
      }
    }
  }
}

/** Nothing was written, and the same may be taken later: others hold the lock, or the disk is full. */
function mayPass(error: unknown): boolean {
  if (error instanceof ThroughlineError) return error.code === 'store_busy';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'SQLITE_FULL') return true;
  }
  return false;
}
