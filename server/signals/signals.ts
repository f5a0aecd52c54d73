import type { Signals } from '#server/core/events';
import { createId } from '#server/core/ids';

/** Signals of this process, or with `REDIS_URL` of all that share it. `onFault` is told of faults that no user sees. */
export async function createSignals(
  { REDIS_URL }: { readonly REDIS_URL?: string | undefined },
  onFault: (message: string, error: unknown) => void,
): Promise<Signals> {
  return REDIS_URL === undefined
    ? new LocalSignals(onFault)
    : new RedisSignals(await createRedisClient(REDIS_URL), onFault);
}

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
class RedisSignals implements Signals {
  readonly #local: LocalSignals;
  readonly #onFault: (message: string, error: unknown) => void;
  readonly #client: RedisClient;
  /** Tells our own signals, which come back, from those of others. */
  readonly #origin = createId('own');
  #isSubscribed = false;
  /** An outage is told of once. */
  #isLost = false;

  constructor(client: RedisClient, onFault: (message: string, error: unknown) => void) {
    this.#local = new LocalSignals(onFault);
    this.#onFault = onFault;
    this.#client = client;
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

/** The pause before the next attempt doubles from the first to the longest; milliseconds. */
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;
/** Finds connections that died without a word; milliseconds. */
const PING_MS = 10_000;
const SILENCE_MS = 30_000;
/** Messages kept for a connection that hangs; more are dropped. */
const MOST_PENDING = 10_000;

export type RedisClient = Awaited<ReturnType<typeof createRedisClient>>;

/**
 * A client that connects, and connects again, in the background once `connect` is called; what is asked of it meanwhile
 * fails at once. Its library, 480 files, is loaded with the first: most installations are one process.
 * @param url `redis://[user:password@]host[:port]`, or `rediss://` for TLS
 */
async function createRedisClient(url: string) {
  const { createClient } = await import('@redis/client');
  return createClient({
    url,
    // With it, one connection both publishes and listens.
    RESP: 3,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_PENDING,
    pingInterval: PING_MS,
    socket: {
      socketTimeout: SILENCE_MS,
      reconnectStrategy: (retries) => Math.min(FIRST_RETRY_MS * 2 ** retries, LONGEST_RETRY_MS),
    },
  });
}

/** Connects in the background. Check `isReady` before use, and end it with `destroy`. */
export async function connectToRedis(url: string): Promise<RedisClient> {
  const client = await createRedisClient(url);
  // Signals tell of an outage already.
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  return client;
}
