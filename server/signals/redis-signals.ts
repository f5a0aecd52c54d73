import { createId } from '#server/core/ids';
import type { Signals } from '#server/core/signals';
import { LocalSignals } from '#server/signals/local-signals';
import { createRedisClient, type RedisClient } from '#server/signals/redis-client';

/**
 * One channel for all topics: a signal is a few bytes, and nobody can be too late to subscribe. Topics name sessions
 * by their ids, so installations that share a Redis do not disturb each other.
 */
const CHANNEL = 'throughline:signals';

/**
 * Signals between all processes that share a Redis. Listeners of this process are called at once, whatever state Redis
 * is in; the others hear it while Redis can be reached. Connecting goes on in the background, and once it succeeds
 * every listener is called, because signals may have been missed.
 */
export class RedisSignals implements Signals {
  readonly #local: LocalSignals;
  readonly #onFault: (message: string, error: unknown) => void;
  readonly #client: RedisClient;
  /** Tells our own signals, which come back, from those of others. */
  readonly #origin = createId('own');
  #isSubscribed = false;
  /** An outage is told of once. */
  #isLost = false;

  /** @param url `redis://[user:password@]host[:port]`, or `rediss://` for TLS */
  constructor(url: string, onFault: (message: string, error: unknown) => void) {
    this.#local = new LocalSignals(onFault);
    this.#onFault = onFault;
    this.#client = createRedisClient(url);
    this.#client.on('error', (error) => this.#reportLoss(error));
    this.#client.on('ready', () => void this.#onReady());
    // Ends when it is connected or closed; what goes wrong meanwhile is an `error` event.
    this.#client.connect().catch(() => undefined);
  }

  notify(topic: string): void {
    this.#local.notify(topic);
    if (!this.#client.isReady) return;
    this.#client.publish(CHANNEL, formatSignal(this.#origin, topic)).catch((error) => this.#reportLoss(error));
  }

  subscribe(topic: string, listener: () => void): () => void {
    return this.#local.subscribe(topic, listener);
  }

  async close(): Promise<void> {
    await this.#local.close();
    this.#client.destroy();
  }

  /** After a first connection; later ones subscribe again by themselves. */
  async #onReady(): Promise<void> {
    try {
      if (!this.#isSubscribed) await this.#client.subscribe(CHANNEL, (message) => this.#receive(message));
      this.#isSubscribed = true;
      this.#isLost = false;
      this.#local.notifyAll();
    } catch (error) {
      this.#reportLoss(error);
    }
  }

  #receive(message: string): void {
    const signal = parseSignal(message);
    if (signal && signal.origin !== this.#origin) this.#local.notify(signal.topic);
  }

  #reportLoss(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#onFault('Redis cannot be reached: other instances are not told of changes until it can', error);
  }
}

/** A signal as it travels: who sent it, a space, its topic. */
export function formatSignal(origin: string, topic: string): string {
  return `${origin} ${topic}`;
}

/** Null for what no Throughline has sent. */
export function parseSignal(message: string): { readonly origin: string; readonly topic: string } | null {
  const end = message.indexOf(' ');
  return end < 1 ? null : { origin: message.slice(0, end), topic: message.slice(end + 1) };
}
