/** Work that is looked for again and again, and at once when somebody says that there is some. */
export interface Upkeep {
  /** Begins with what waits from before. */
  start(): void;
  /** Looks at once, or again when the present look has ended. */
  wake(): void;
  /** Waits for the look that is under way; none follows it. */
  close(): Promise<void>;
}

/**
 * Looks for work, one look at a time.
 * @param look does what there is; its signal aborts when the upkeep is closed. Resolves to the time until the next look,
 * milliseconds. Must not throw
 */
export function createUpkeep(look: (closing: AbortSignal) => Promise<number>): Upkeep {
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
      waitMs = await look(closing.signal);
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
