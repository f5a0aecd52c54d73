/** The compactions that this process runs or waits to run, by session, so that they can be cancelled. */
export class RunningCompactions {
  readonly #running = new Set<{ readonly sessionId: string; readonly controller: AbortController }>();

  has(sessionId: string): boolean {
    return [...this.#running].some((each) => each.sessionId === sessionId);
  }

  /** Runs the task with a signal that `cancel` ends, and the caller's own. */
  async run<T>(
    sessionId: string,
    signal: AbortSignal | undefined,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    const entry = { sessionId, controller };
    this.#running.add(entry);
    try {
      return await task(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal);
    } finally {
      this.#running.delete(entry);
    }
  }

  /** False: none runs. */
  cancel(sessionId: string): boolean {
    const reason = new DOMException('The compaction was cancelled.', CANCELLED);
    const own = [...this.#running].filter((each) => each.sessionId === sessionId);
    for (const { controller } of own) controller.abort(reason);
    return own.length > 0;
  }
}

const CANCELLED = 'AbortError';

/** Returns whether a compaction was cancelled; ask only where its caller did not give up. */
export function isCancellation(error: unknown): boolean {
  return error instanceof DOMException && error.name === CANCELLED;
}
