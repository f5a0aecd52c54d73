import type { Signals } from '#server/core/signals';

/** Signals within this process. */
export class LocalSignals implements Signals {
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #onFault: (message: string, error: unknown) => void;

  constructor(onFault: (message: string, error: unknown) => void) {
    this.#onFault = onFault;
  }

  notify(topic: string): void {
    // A copy: a listener may subscribe or unsubscribe.
    for (const listener of Array.from(this.#listeners.get(topic) ?? [])) this.#call(listener);
  }

  /** For when signals may have been missed: everybody looks once. */
  notifyAll(): void {
    for (const topic of Array.from(this.#listeners.keys())) this.notify(topic);
  }

  subscribe(topic: string, listener: () => void): () => void {
    // The same function may be subscribed twice: each has its own entry.
    const entry = () => listener();
    const entries = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, entries.add(entry));
    return () => {
      entries.delete(entry);
      if (entries.size === 0 && this.#listeners.get(topic) === entries) this.#listeners.delete(topic);
    };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#onFault('A listener failed at a signal', error);
    }
  }
}
