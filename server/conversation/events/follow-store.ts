import type { SignalListening } from '#server/core/conversation/events';

/** Without signals of other processes, their changes are found after this time; milliseconds. A choice, not measured. */
const POLL_MS = 2_000;
/**
 * While signals of all processes arrive, a change whose signal was lost is found after this time; milliseconds. As long as a
 * connection to Redis that died silently stays unnoticed (see redis-client.ts).
 */
const SHARED_POLL_MS = 30_000;

/** How a stream reads data that grows in the store. */
export interface StoreFollower<T> {
  readonly signals: SignalListening;
  /** Topic of the signal that new data may be available. */
  readonly topic: string;
  /** Returns new chunks since the last call; `isLast`: no more will follow. */
  readonly read: () => Promise<{ readonly items: readonly T[]; readonly isLast: boolean }>;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; default 2,000, or 30,000 while signals of all processes arrive. */
  readonly pollMs?: number | undefined;
}

/**
 * Streams data that grows in the store: reads when the reader asks, again at every signal, and periodically without
 * one, seldom while signals of all processes arrive. Does not read for a reader that has not consumed the previous data.
 */
export function followStore<T>({ signals, topic, read, signal, pollMs }: StoreFollower<T>): ReadableStream<T> {
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
          await bell.wait(pollMs ?? (signals.isShared ? SHARED_POLL_MS : POLL_MS));
        }
      },
      cancel: () => over.abort(),
    },
    { highWaterMark: 0 },
  );
}

/** Wakes one sleeper; if it rang before, the sleeper wakes immediately. */
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
