/** The compactions that this process runs or waits to run, by session, so that they can be cancelled. */
export class RunningCompactions {
  readonly #controllers = new Map<string, ReadonlySet<AbortController>>();

  has(sessionId: string): boolean {
    return this.#controllers.has(sessionId);
  }

  /** Runs the task with a signal that `cancel` ends, and the caller's own. */
  async run<T>(
    sessionId: string,
    signal: AbortSignal | undefined,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    this.#controllers.set(sessionId, new Set([...(this.#controllers.get(sessionId) ?? []), controller]));
    try {
      return await task(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal);
    } finally {
      const others = [...(this.#controllers.get(sessionId) ?? [])].filter((other) => other !== controller);
      if (others.length === 0) this.#controllers.delete(sessionId);
      else this.#controllers.set(sessionId, new Set(others));
    }
  }

  /** False: none runs. */
  cancel(sessionId: string): boolean {
    const reason = new DOMException('The compaction was cancelled.', CANCELLED);
    for (const controller of this.#controllers.get(sessionId) ?? []) controller.abort(reason);
    return this.has(sessionId);
  }
}

const CANCELLED = 'AbortError';

/** Returns whether a compaction ended because it was cancelled; ask only where its caller did not give up. */
export function isCancellation(error: unknown): boolean {
  return error instanceof DOMException && error.name === CANCELLED;
}
