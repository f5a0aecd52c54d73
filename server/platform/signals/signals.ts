import type { Signals } from '#server/core/conversation/events';
import { within } from '#server/core/async';
import { createId } from '#server/core/ids';
import { Peers, PRESENCE_MS } from '#server/platform/signals/peers';
import { createRedisClient, type RedisClient } from '#server/platform/signals/redis-client';

/**
 * Creates signals (notifications without content, by topic) within this process or, with `REDIS_URL`, between all
 * processes that share the Redis.
 * @param onFault receives faults that no user sees
 */
export async function createSignals(
  { REDIS_URL }: { readonly REDIS_URL?: string | undefined },
  onFault: (message: string, error: unknown) => void,
): Promise<Signals> {
  return REDIS_URL === undefined
    ? new LocalSignals(onFault)
    : new RedisSignals(await createRedisClient(REDIS_URL), onFault);
}

/** Signals within this process. Listeners are called synchronously; an error of one goes to `onFault`. */
export class LocalSignals implements Signals {
  readonly isShared = false;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #onFault: (message: string, error: unknown) => void;

  constructor(onFault: (message: string, error: unknown) => void) {
    this.#onFault = onFault;
  }

  notify(topic: string): void {
    // A copy: a listener may subscribe or unsubscribe.
    for (const listener of Array.from(this.#listeners.get(topic) ?? [])) this.#call(listener);
  }

  /** Calls every listener once, after a time in which signals may have been missed. */
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
 * One channel for all topics: a signal is a few bytes, and no process can subscribe too late. Topics name sessions by
 * their ids, so installations that share a Redis do not disturb each other.
 */
const CHANNEL = 'throughline:signals';
/** Reserved topics: the sender is there; it ends; it may have missed to send signals. */
const PRESENT = 'process:present';
const LEAVING = 'process:leaving';
const MISSED = 'process:missed';
/** Longest time that the end of a process waits until it has said so; milliseconds. A choice: Redis answers sooner or hangs. */
const LEAVE_MS = 500;

/**
 * Signals between all processes that share a Redis. Listeners of this process are called immediately, whether Redis is
 * reachable or not; those of other processes are called while Redis can be reached. Reconnecting continues in the
 * background, and once it succeeds every listener of all processes is called, because signals may have been missed.
 */
class RedisSignals implements Signals {
  readonly #local: LocalSignals;
  readonly #onFault: (message: string, error: unknown) => void;
  readonly #client: RedisClient;
  /** Distinguishes our own signals, which Redis sends back, from those of other processes. */
  readonly #origin = createId('own');
  #isSubscribed = false;
  /** True once an outage was reported, so that it is reported only once. */
  #isLost = false;
  readonly #peers = new Peers();
  #wereAllHeard = true;
  readonly #presence = setInterval(() => this.#checkPresence(), PRESENCE_MS).unref();

  constructor(client: RedisClient, onFault: (message: string, error: unknown) => void) {
    this.#local = new LocalSignals(onFault);
    this.#onFault = onFault;
    this.#client = client;
    this.#client.on('error', (error) => this.#reportLoss(error));
    this.#client.on('ready', () => void this.#onReady());
    // Settles when the client is connected or closed; errors before that are `error` events.
    this.#client.connect().catch(() => undefined);
  }

  get isShared(): boolean {
    return this.#isSubscribed && this.#client.isReady && this.#peers.areAllHeard;
  }

  notify(topic: string): void {
    this.#local.notify(topic);
    void this.#publish(topic);
  }

  subscribe(topic: string, listener: () => void): () => void {
    return this.#local.subscribe(topic, listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#presence);
    await this.#local.close();
    await within(LEAVE_MS, this.#publish(LEAVING));
    this.#client.destroy();
  }

  async #publish(topic: string): Promise<void> {
    if (!this.#client.isReady) return;
    await this.#client.publish(CHANNEL, formatSignal(this.#origin, topic)).catch((error) => this.#reportLoss(error));
  }

  /** Those who wait for a signal have to look for themselves while another process may be cut off. */
  #checkPresence(): void {
    void this.#publish(PRESENT);
    const { areAllHeard } = this.#peers;
    if (this.#wereAllHeard && !areAllHeard) this.#local.notifyAll();
    this.#wereAllHeard = areAllHeard;
  }

  /** Runs after the first connection; on later ones the client subscribes again by itself. */
  async #onReady(): Promise<void> {
    try {
      if (!this.#isSubscribed) await this.#client.subscribe(CHANNEL, (message) => this.#receive(message));
      this.#isSubscribed = true;
      this.#isLost = false;
      this.#local.notifyAll();
      await this.#publish(MISSED);
    } catch (error) {
      this.#reportLoss(error);
    }
  }

  #receive(message: string): void {
    const signal = parseSignal(message);
    if (!signal || signal.origin === this.#origin) return;
    if (signal.topic === LEAVING) return this.#peers.left(signal.origin);
    this.#peers.heard(signal.origin);
    if (signal.topic === MISSED) this.#local.notifyAll();
    else if (signal.topic !== PRESENT) this.#local.notify(signal.topic);
  }

  #reportLoss(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    // Those who wait for a signal have to look for themselves from now on.
    if (this.#isSubscribed) this.#local.notifyAll();
    this.#onFault('Redis cannot be reached: other instances are not told of changes until it can', error);
  }
}

/** Formats a signal for Redis: sender, a space, topic. */
function formatSignal(origin: string, topic: string): string {
  return `${origin} ${topic}`;
}

/** Reads a message of Redis; null if Throughline did not send it. */
export function parseSignal(message: string): { readonly origin: string; readonly topic: string } | null {
  const end = message.indexOf(' ');
  return end < 1 ? null : { origin: message.slice(0, end), topic: message.slice(end + 1) };
}
