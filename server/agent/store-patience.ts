import { setTimeout as delay } from 'node:timers/promises';
import type { MessageWriter } from '#server/agent/answer-writer';
import {
  StoreBusyError,
  StoreUncertainError,
  StoreUnavailableError,
  ThroughlineError,
  TurnLostError,
} from '#server/core/errors';
import { TURN_PATIENCE_MS } from '#server/core/turn-store';

/** The store would not take what a turn had to write, ever; its message is for the user, its cause for the log. */
export class NotStoredError extends Error {
  constructor(cause: unknown) {
    const reason = (cause instanceof StoreUnavailableError && cause.reason) || 'the database did not accept it';
    super(
      `The answer could not be stored in full: ${reason}. Words that are not stored disappear when the page is loaded again: copy what you need, then ask again.`,
      { cause },
    );
    this.name = 'NotStoredError';
  }
}

/** Reports whether an error is about a single write of which nothing, or nobody knows what, was stored. */
export function isOfStore(error: unknown): boolean {
  const kinds = [StoreBusyError, StoreUncertainError, StoreUnavailableError];
  return kinds.some((kind) => error instanceof kind);
}

/** Listener of a turn's writes. */
interface TurnWriterListener {
  /** Called behind every write. */
  readonly onWrite: () => void;
  /** Called when one was refused because the turn is somebody else's by now. */
  readonly onLost: () => void;
}

/** Creates the writer of one turn. Throws NotStoredError for a write that the store never takes. */
export function turnWriter(
  messages: MessageWriter,
  patience: StorePatience,
  { onWrite, onLost }: TurnWriterListener,
): MessageWriter {
  const told = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      const result = await patience.write(write);
      onWrite();
      return result;
    } catch (error) {
      if (error instanceof TurnLostError) onLost();
      throw error instanceof ThroughlineError && !isOfStore(error) ? error : new NotStoredError(error);
    }
  };
  return {
    append: (...args) => told(() => messages.append(...args)),
    addPart: (...args) => told(() => messages.addPart(...args)),
    updatePart: (...args) => told(() => messages.updatePart(...args)),
    updateMessage: (...args) => told(() => messages.updateMessage(...args)),
  };
}

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
 * The writes of one running turn to a store that refuses them for a while: each is tried again until the store takes
 * it. All of them share the time, which begins with the first refusal and starts afresh when a write gets through; once
 * it is over, a write is tried once.
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

/** True if nothing was written and the same may be taken later: others hold the lock, or the disk is full. */
function mayPass(error: unknown): boolean {
  if (error instanceof ThroughlineError) return error.code === 'store_busy';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'SQLITE_FULL') return true;
  }
  return false;
}
