import { setTimeout as delay } from 'node:timers/promises';
import type { MessageWriter } from '#server/conversation/step/answer-writer';
import {
  StoreBusyError,
  StoreUncertainError,
  StoreUnavailableError,
  ThroughlineError,
  TurnLostError,
} from '#server/core/errors';
import type { FaultLog } from '#server/core/process';
import { TURN_PATIENCE_MS } from '#server/core/conversation/turn-store';
import type { ServerText } from '#server/core/coded-message';
import { serverText } from '#server/core/messages/server-text';

/** The store refused a write of a turn until the time limit; the message is for the user, the cause for the log. */
export class NotStoredError extends Error {
  readonly text: ServerText;

  constructor(cause: unknown) {
    const reason = (cause instanceof StoreUnavailableError && cause.reason) || serverText('database-refused');
    const text = serverText('answer-not-stored', { reason });
    super(text.text, { cause });
    this.text = text;
    this.name = 'NotStoredError';
  }
}

/** Returns whether an error concerns a single write of which nothing, or an unknown part, was stored. */
export function isOfStore(error: unknown): boolean {
  const kinds = [StoreBusyError, StoreUncertainError, StoreUnavailableError];
  return kinds.some((kind) => error instanceof kind);
}

/**
 * Creates the writer of one turn. Throws NotStoredError for a write that the store does not accept in time.
 * @param onLost called when a write was refused because another process owns the turn now
 */
export function turnWriter(messages: MessageWriter, patience: RetryingWriter, onLost: () => void): MessageWriter {
  const told = async <T>(write: () => Promise<T>): Promise<T> => {
    try {
      return await patience.write(write);
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

/** Pause between two tries, each of which itself waits several seconds; milliseconds. A choice, not measured. */
const PAUSE_MS = 200;

interface PatienceOptions extends FaultLog {
  /** Id of the turn, for the log. */
  readonly turnId: string;
  /** Default two minutes. */
  readonly mostMs?: number | undefined;
  /** Aborts when a failed try must be the last: the server is stopping, or another process owns the turn. */
  readonly ending: AbortSignal;
}

/**
 * Writes of one running turn to a store that may refuse them for a while: each is retried until the store accepts it.
 * All writes share a time limit, which starts with the first refusal and is reset when a write succeeds; after it, each
 * write is tried once.
 */
export class RetryingWriter {
  readonly #options: PatienceOptions;
  #refusedSince: number | null = null;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** @throws the store's error when the time is over or another try is pointless */
  async write<T>(work: () => Promise<T>): Promise<T> {
    const { mostMs = TURN_PATIENCE_MS, ending, turnId, onFault } = this.#options;
    for (;;) {
      try {
        const result = await work();
        this.#refusedSince = null;
        return result;
      } catch (error) {
        if (!mayPass(error)) throw error;
        // Once for each outage.
        if (this.#refusedSince === null)
          onFault(`The database refused a write of turn ${turnId}; it is tried again`, error);
        this.#refusedSince ??= performance.now();
        if (ending.aborted || performance.now() - this.#refusedSince >= mostMs) throw error;
        await delay(PAUSE_MS, undefined, { signal: ending }).catch(() => undefined);
      }
    }
  }
}

/**
 * True if nothing was written and the same write may succeed later: another process holds the lock, or the disk is
 * full.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof ThroughlineError) return error.code === 'store_busy';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'SQLITE_FULL') return true;
  }
  return false;
}
