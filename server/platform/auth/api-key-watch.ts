import { serverText } from '#server/core/messages/server-text';
import type { FaultLog } from '#server/core/process';
import { UnauthenticatedError } from '#server/core/errors';

/**
 * Interval of the checks; milliseconds. If another process revokes a key, calls with it continue here for at most this
 * time. A choice, not measured.
 */
const CHECK_INTERVAL_MS = 1_000;

/** A running call with an API key. */
export interface WatchedCall {
  /** Aborts, with the error as its reason, when the call's key is revoked or expires. */
  readonly signal: AbortSignal;
  /** Ends the watch. Must be called when the call is over. */
  readonly release: () => void;
}

/** Returns those of these keys that are no longer valid. Called with ids, each once. */
type InvalidKeys = (ids: readonly string[]) => Promise<ReadonlySet<string>>;

/** The running calls with API keys: each is aborted when its key ends, whether here or through another process. */
export class ApiKeyWatch {
  readonly #invalidKeys: InvalidKeys;
  readonly #log: FaultLog;
  /** Id of the key of each running call. */
  readonly #calls = new Map<AbortController, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(invalidKeys: InvalidKeys, log: FaultLog) {
    this.#invalidKeys = invalidKeys;
    this.#log = log;
  }

  /** Watches a call until it is released. */
  watch(keyId: string): WatchedCall {
    const ended = new AbortController();
    this.#calls.set(ended, keyId);
    // Checks only while calls are running, and does not keep the process alive.
    this.#timer ??= setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
    return { signal: ended.signal, release: () => this.#release(ended) };
  }

  /**
   * Aborts the calls of keys that are no longer valid. Never throws: while the store is unreachable, all keys count as
   * valid.
   */
  async check(): Promise<void> {
    if (this.#calls.size === 0) return;
    try {
      const invalid = await this.#invalidKeys([...new Set(this.#calls.values())]);
      for (const [ended, keyId] of this.#calls) {
        if (!invalid.has(keyId)) continue;
        this.#release(ended);
        ended.abort(new UnauthenticatedError(serverText('key-revoked')));
      }
    } catch (error) {
      this.#log.onFault('Whether the API keys in use still hold could not be read', error);
    }
  }

  #release(ended: AbortController): void {
    this.#calls.delete(ended);
    if (this.#calls.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
