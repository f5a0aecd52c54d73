import type { Signals } from '#server/core/signals';

/** Should a signal be lost, what it told is found this much later; milliseconds. */
const POLL_MS = 2_000;

export interface StoreFollower<T> {
  readonly signals: Pick<Signals, 'subscribe'>;
  /** Signals when there may be more to read. */
  readonly topic: string;
  /** What is new since the last reading; `isLast`: there will never be more. */
  readonly read: () => Promise<{ readonly items: readonly T[]; readonly isLast: boolean }>;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; default 2,000. */
  readonly pollMs?: number | undefined;
}

/**
 * What grows in the store as a stream: read when the reader asks, again at every signal, and now and then without one.
 * The store is never read for a reader that does not take what there is.
 */
export function followStore<T>({
  signals,
  topic,
  read,
  signal,
  pollMs = POLL_MS,
}: StoreFollower<T>): ReadableStream<T> {
  const bell = new Bell();
  const over = new AbortController();
  over.signal.addEventListener('abort', () => bell.ring());
  return new ReadableStream<T>(
    {
      start(controller) {
        const unsubscribe = signals.subscribe(topic, () => bell.ring());
        over.signal.addEventListener('abort', unsubscribe);
        const end = () => {
          if (over.signal.aborted) return;
          over.abort();
          controller.close();
        };
        if (signal?.aborted) return end();
        signal?.addEventListener('abort', end, { once: true, signal: over.signal });
      },
      async pull(controller) {
        while (!over.signal.aborted) {
          bell.reset();
          const { items, isLast } = await read().catch((error: unknown) => {
            over.abort();
            throw error;
          });
          if (over.signal.aborted) return;
          for (const item of items) controller.enqueue(item);
          if (isLast) {
            over.abort();
            return controller.close();
          }
          if (items.length > 0) return;
          await bell.wait(pollMs);
        }
      },
      cancel: () => over.abort(),
    },
    { highWaterMark: 0 },
  );
}

/** Wakes one sleeper, who also wakes if it rang before. */
class Bell {
  #hasRung = false;
  #wake: (() => void) | null = null;

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  reset(): void {
    this.#hasRung = false;
  }

  async wait(ms: number): Promise<void> {
    if (this.#hasRung) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    clearTimeout(timer);
    this.#wake = null;
  }
}
