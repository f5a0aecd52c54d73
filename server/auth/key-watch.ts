import { UnauthenticatedError } from '#server/core/errors';

/** How long a call may outlive its key where nobody told us of the end; milliseconds. */
const CHECKED_EVERY_MS = 1_000;

/** A call that is under way. */
export interface WatchedCall {
  /** Aborts, with the refusal as its reason, once the key of the call opens nothing any more. */
  readonly signal: AbortSignal;
  /** The call is over. */
  readonly release: () => void;
}

export interface KeyWatchOptions {
  /** Of these keys those that open nothing any more. */
  readonly lapsed: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly onFault: (message: string, error: unknown) => void;
}

/** The calls under way with API keys: each is ended once its key opens nothing any more, be it here or by another process. */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  readonly #calls = new Map<AbortController, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyWatchOptions) {
    this.#options = options;
  }

  watch(keyId: string): WatchedCall {
    const ended = new AbortController();
    this.#calls.set(ended, keyId);
    // It asks only while there is somebody to ask for, and the process does not stay alive for it.
    this.#timer ??= setInterval(() => void this.check(), CHECKED_EVERY_MS).unref();
    return { signal: ended.signal, release: () => this.#release(ended) };
  }

  /** Ends the calls of keys that hold no more. Never throws: while the store cannot be asked, nobody is accused. */
  async check(): Promise<void> {
    if (this.#calls.size === 0) return;
    try {
      const lapsed = await this.#options.lapsed([...new Set(this.#calls.values())]);
      for (const [ended, keyId] of this.#calls) {
        if (!lapsed.has(keyId)) continue;
        this.#release(ended);
        ended.abort(new UnauthenticatedError('This API key was revoked or has expired while it was used.'));
      }
    } catch (error) {
      this.#options.onFault('Whether the API keys in use still hold could not be read', error);
    }
  }

  #release(ended: AbortController): void {
    this.#calls.delete(ended);
    if (this.#calls.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
