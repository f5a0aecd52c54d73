/** The compactions that this process runs or waits to run, by session, so that they can be cancelled. */
export class RunningCompactions {
  readonly #running = new Map<AbortController, string>();

  has(sessionId: string): boolean {
    return [...this.#running.values()].includes(sessionId);
  }

  /** Runs the task with a signal that `cancel` ends, and the caller's own. */
  async run<T>(
    sessionId: string,
    signal: AbortSignal | undefined,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const controller = new AbortController();
    this.#running.set(controller, sessionId);
    try {
      return await task(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal);
    } finally {
      this.#running.delete(controller);
    }
  }

  /** False: none runs. */
  cancel(sessionId: string): boolean {
    const reason = new DOMException('The compaction was cancelled.', CANCELLED);
    for (const [controller, of] of this.#running) if (of === sessionId) controller.abort(reason);
    return this.has(sessionId);
  }
}

const CANCELLED = 'AbortError';

/** Returns whether a compaction was cancelled; ask only where its caller did not give up. */
export function isCancellation(error: unknown): boolean {
  return error instanceof DOMException && error.name === CANCELLED;
}
