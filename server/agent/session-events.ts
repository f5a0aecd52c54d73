import { followStore } from '#server/agent/stored-turn-stream';
import type { SessionChanged } from '#server/core/session-overview';
import {
  ALL_EVENTS_TOPIC,
  eventsTopic,
  type QueueData,
  type SessionEvent,
  type SessionEventData,
  type SessionEventName,
  type Signals,
} from '#server/core/events';

/** Store of session events: only the newest of each session. */
export interface EventStore {
  /** @returns its id; null when the session is gone, which has nobody who follows it */
  append<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId?: string | null,
  ): Promise<number | null>;
  /** `queue:changed`, with the queue as it is at that moment; null when the session is gone. */
  appendQueue(sessionId: string): Promise<QueueData | null>;
  /** The oldest `limit` events behind `id`, in order; null when the session is gone. */
  after(sessionId: string, id: number, limit: number): Promise<readonly SessionEvent[] | null>;
  /** The oldest `limit` of all that happened in everybody's sessions behind `id`, in order. */
  changesAfter(id: number, limit: number): Promise<readonly SessionChanged[]>;
  /** 0 when there is none. */
  newestId(sessionId: string): Promise<number>;
  /** Id of the newest event of all sessions; 0 when there is none. */
  newestIdOfAll(): Promise<number>;
}

export interface SessionEventsDependencies {
  readonly store: EventStore;
  readonly signals: Pick<Signals, 'notify' | 'subscribe'>;
  /** Told of faults that no user sees. */
  readonly onFault: (message: string, error: unknown) => void;
  /** Polling interval without a signal; milliseconds. Default 2,000. */
  readonly pollMs?: number;
}

/** Rows that are read at once. */
const PAGE = 100;
/** A follower of all sessions that missed more events than this reads all sessions anew anyway. */
const MOST_MISSED = 1_000;

/**
 * Publishes session events to their followers, in this process or another one. Every event is stored first,
 * so that a client that was away hears it when it comes back.
 */
export class SessionEvents {
  readonly #deps: SessionEventsDependencies;
  /** The last write of each session: its events are stored in the order of their happening. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(dependencies: SessionEventsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Never waits and never throws: what happened has happened, whether it can be told or not.
   * @param turnId the turn it happened in, to be kept with what is told of the context
   */
  emit<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId: string | null = null,
  ): void {
    this.#inOrder(sessionId, name, async () => (await this.#deps.store.append(sessionId, name, data, turnId)) !== null);
  }

  /**
   * As `emit`, of a change of the queue. It is read when the event is stored, so that of several changes, also in other
   * processes, the last one told is how it stands.
   * @param onTold given what was told
   */
  emitQueue(sessionId: string, onTold: (data: QueueData) => void): void {
    this.#inOrder(sessionId, 'queue:changed', async () => {
      const data = await this.#deps.store.appendQueue(sessionId);
      if (data) onTold(data);
      return data !== null;
    });
  }

  /** Resolves once everything that was emitted is stored. */
  async flush(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes.values());
  }

  /** Returns the id from which `follow` hears only new events. */
  newestId(sessionId: string): Promise<number> {
    return this.#deps.store.newestId(sessionId);
  }

  /** Returns the id from which `follow` goes on: `lastId`, unless it is of another database and has not come here yet. */
  async startOf(sessionId: string, lastId: number | undefined): Promise<number> {
    const newest = await this.newestId(sessionId);
    return lastId === undefined || lastId > newest ? newest : lastId;
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

  /** Returns the id from which `followAll` goes on: `lastId`, for a client that was not away for too long. */
  async startOfAll(lastId: number | undefined): Promise<number> {
    const newest = await this.#deps.store.newestIdOfAll();
    return lastId === undefined || lastId > newest ? newest : Math.max(lastId, newest - MOST_MISSED);
  }

  /**
   * Follows changes of everybody's sessions from behind `afterId` on: of what is read at once, each kind
   * of event of a session once.
   * @param signal ends it
   */
  followAll(afterId: number, signal?: AbortSignal): ReadableStream<SessionChanged> {
    const { store, signals, pollMs } = this.#deps;
    let position = afterId;
    return followStore<SessionChanged>({
      signals,
      topic: ALL_EVENTS_TOPIC,
      signal,
      pollMs,
      read: async () => {
        const changes = await store.changesAfter(position, PAGE);
        position = changes.at(-1)?.id ?? position;
        return { items: newestOfEach(changes), isLast: false };
      },
    });
  }

  /** @param append says whether there is anybody who could follow the session */
  #inOrder(sessionId: string, name: SessionEventName, append: () => Promise<boolean>): void {
    const done = (this.#writes.get(sessionId) ?? Promise.resolve())
      .then(() => this.#store(sessionId, name, append))
      .finally(() => {
        if (this.#writes.get(sessionId) === done) this.#writes.delete(sessionId);
      });
    this.#writes.set(sessionId, done);
  }

  async #store(sessionId: string, name: SessionEventName, append: () => Promise<boolean>): Promise<void> {
    try {
      if (!(await append())) return;
      this.#deps.signals.notify(eventsTopic(sessionId));
      this.#deps.signals.notify(ALL_EVENTS_TOPIC);
    } catch (error) {
      this.#deps.onFault(`The event ${name} of ${sessionId} could not be stored`, error);
    }
  }
}

/** Keeps only the last of changes of one kind in one session, in order. */
function newestOfEach(changes: readonly SessionChanged[]): SessionChanged[] {
  const newest = new Map(changes.map((change) => [`${change.data.sessionId} ${change.data.name}`, change]));
  return [...newest.values()].toSorted((a, b) => a.id - b.id);
}

/** Tells whoever follows a session; never throws. */
export interface EventSink {
  /** @param turnId the turn it happened in, to be kept with what is told of the context */
  emit<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId?: string | null,
  ): void;
}
