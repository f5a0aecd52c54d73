/** A background job that polls for work and can be woken when new work arrives. */
export interface RepeatingTimer {
  /** Checks for work immediately, for what was left by an earlier process, and then repeatedly. */
  start(): void;
  /** Checks for work immediately, or again after the check that is running. */
  wake(): void;
  /** Stops the timer and waits for the running check. */
  close(): Promise<void>;
}

/**
 * Creates a job that checks for work, one check at a time.
 * @param check does the work that it finds, and resolves to the time until the next check (milliseconds). Its signal aborts
 * when the job is closed. Must not throw
 */
export function createRepeatingTimer(check: (closing: AbortSignal) => Promise<number>): RepeatingTimer {
  const closing = new AbortController();
  let running: Promise<void> | null = null;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    clearTimeout(timer);
    isWoken = true;
    if (!closing.signal.aborted) running ??= run();
  }

  async function run(): Promise<void> {
    let waitMs: number;
    do {
      isWoken = false;
      waitMs = await check(closing.signal);
    } while (isWoken && !closing.signal.aborted);
    running = null;
    if (closing.signal.aborted) return;
    timer = setTimeout(begin, waitMs);
    timer.unref();
  }

  return {
    start: begin,
    wake: begin,
    async close() {
      closing.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
