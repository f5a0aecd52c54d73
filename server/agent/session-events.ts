import type { SessionEvent, SessionEventData, SessionEventName } from '#server/core/events';
import { eventsTopic, type Signals } from '#server/core/signals';
import { followStore } from '#server/agent/follow-store';

/** Where a session's events are kept: only the newest of each session. */
export interface EventStore {
  /** @returns its id; null when the session is gone, which has nobody who follows it */
  append<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
  ): Promise<number | null>;
  /** The oldest `limit` events behind `id`, in order; null when the session is gone. */
  after(sessionId: string, id: number, limit: number): Promise<readonly SessionEvent[] | null>;
  /** 0 when there is none. */
  newestId(sessionId: string): Promise<number>;
}

export interface SessionEventsDependencies {
  readonly store: EventStore;
  readonly signals: Pick<Signals, 'notify' | 'subscribe'>;
  /** Told of faults that no user sees. */
  readonly onFault: (message: string, error: unknown) => void;
  /** How often a follower looks without a signal; milliseconds. Default 2,000. */
  readonly pollMs?: number;
}

/** Rows that are read at once. */
const PAGE = 100;

/**
 * What happens in a session, told to whoever follows it, in this process or another one. Every event is stored first,
 * so that a client that was away hears it when it comes back.
 */
export class SessionEvents {
  readonly #deps: SessionEventsDependencies;
  /** The last write of each session: its events are stored in the order of their happening. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(dependencies: SessionEventsDependencies) {
    this.#deps = dependencies;
  }

  /** Never waits and never throws: what happened has happened, whether it can be told or not. */
  emit<Name extends SessionEventName>(sessionId: string, name: Name, data: SessionEventData[Name]): void {
    const done = (this.#writes.get(sessionId) ?? Promise.resolve())
      .then(() => this.#append(sessionId, name, data))
      .finally(() => {
        if (this.#writes.get(sessionId) === done) this.#writes.delete(sessionId);
      });
    this.#writes.set(sessionId, done);
  }

  /** Resolves once everything that was emitted is stored. */
  async flush(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes.values());
  }

  /** Where `follow` goes on from to hear only what comes. */
  newestId(sessionId: string): Promise<number> {
    return this.#deps.store.newestId(sessionId);
  }

  /**
   * The session's events behind `afterId` (null: from now on) and those to come, read as fast as the reader takes them.
   * Ends when the session is deleted.
   * @param signal ends it
   */
  follow(sessionId: string, afterId: number | null, signal?: AbortSignal): ReadableStream<SessionEvent> {
    const { store, signals, pollMs } = this.#deps;
    const start = afterId === null ? store.newestId(sessionId) : Promise.resolve(afterId);
    // Where it is awaited it is a failed reading.
    start.catch(() => undefined);
    let position: number | null = null;
    return followStore<SessionEvent>({
      signals,
      topic: eventsTopic(sessionId),
      signal,
      pollMs,
      read: async () => {
        position ??= await start;
        const items = await store.after(sessionId, position, PAGE);
        position = items?.at(-1)?.id ?? position;
        return { items: items ?? [], isLast: items === null };
      },
    });
  }

  async #append<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
  ): Promise<void> {
    try {
      const id = await this.#deps.store.append(sessionId, name, data);
      if (id !== null) this.#deps.signals.notify(eventsTopic(sessionId));
    } catch (error) {
      this.#deps.onFault(`The event ${name} of ${sessionId} could not be stored`, error);
    }
  }
}
