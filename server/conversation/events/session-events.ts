import type { FaultLog } from '#server/core/process';
import { followStore } from '#server/conversation/events/follow-store';
import type { SessionChanged } from '#server/core/conversation/session-overview';
import {
  ALL_EVENTS_TOPIC,
  type ContextUsage,
  eventsTopic,
  type QueueData,
  type SessionEvent,
  type SessionEventData,
  type SessionEventName,
  type SignalChannel,
} from '#server/core/conversation/events';

/** Store of session events: keeps only the newest of each session. */
export interface EventStore {
  /** Stores an event. @returns false if the session was deleted and has no followers */
  append<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId?: string | null,
  ): Promise<boolean>;
  /** Takes note of an event that was stored in the transaction of what it reports. */
  noteStored(sessionId: string): Promise<void>;
  /** Appends `queue:changed` with the queue at that moment; null if the session was deleted. */
  appendQueue(sessionId: string): Promise<QueueData | null>;
  /** The oldest `limit` events after `id`, in order; null if the session was deleted. */
  after(sessionId: string, id: number, limit: number): Promise<readonly SessionEvent[] | null>;
  /** The oldest `limit` events of all sessions after `id`, in order. */
  changesAfter(id: number, limit: number): Promise<readonly SessionChanged[]>;
  /** True if events after this one may have been deleted because the session has newer ones. */
  hasGap(sessionId: string, afterId: number): Promise<boolean>;
  /** The data of the newest `context:usage`; null if the session has none. */
  newestUsage(sessionId: string): Promise<ContextUsage | null>;
  /** 0 if the session has no events. */
  newestId(sessionId: string): Promise<number>;
  /** Id of the newest event of all sessions; 0 if no events exist. */
  newestIdOfAll(): Promise<number>;
}

/** Reads the data of events that the event store does not contain. */
export interface EventDataReader {
  /** The whole present state of a session, sent instead of events that are no longer stored. */
  snapshot(sessionId: string): Promise<SessionEventData['snapshot']>;
  /** Adds the messages and approvals that an event refers to by id; returns events without references unchanged. */
  complete(event: SessionEvent): Promise<SessionEvent>;
}

/** What session events are stored in, read from, and signalled with. */
export interface SessionEventsDependencies extends FaultLog {
  readonly store: EventStore;
  readonly source: EventDataReader;
  readonly signals: SignalChannel;
  /** Polling interval without a signal; milliseconds. Default: that of `followStore`. */
  readonly pollMs?: number;
}

/** Number of rows per read. A choice, not measured: a burst of events is usually smaller. */
const PAGE = 100;
/**
 * Number of missed events that a follower of all sessions receives; older ones are skipped. A choice, not measured:
 * more than a browser tab misses while a laptop sleeps for some hours.
 */
const MAX_MISSED = 1_000;

/**
 * Publishes session events to their followers, in this process or another one. Every event is stored first, so that a
 * disconnected client receives it when it reconnects.
 */
export class SessionEvents {
  readonly #deps: SessionEventsDependencies;
  /** The last write of each session; its events are stored in the order in which they happened. */
  readonly #writes = new Map<string, Promise<void>>();

  constructor(dependencies: SessionEventsDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Stores an event in the background. Never waits and never throws, because the event has happened even if it cannot
   * be stored.
   * @param turnId the turn of the event, stored with events about the context
   */
  emit<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId: string | null = null,
  ): void {
    this.#inOrder(sessionId, name, () => this.#deps.store.append(sessionId, name, data, turnId));
  }

  /**
   * Like `emit`, for a change of the queue. The queue is read when the event is stored, so that after several changes,
   * also in other processes, the last event contains the current queue.
   * @param onStored receives the stored data
   */
  emitQueue(sessionId: string, onStored: (data: QueueData) => void): void {
    this.#inOrder(sessionId, 'queue:changed', async () => {
      const data = await this.#deps.store.appendQueue(sessionId);
      if (data) onStored(data);
      return data !== null;
    });
  }

  /** Tells the followers of an event that was stored in the transaction of what it reports. */
  stored(sessionId: string): void {
    this.#notify(sessionId);
    const { store, onFault } = this.#deps;
    const failed = (error: unknown) => onFault(`Old events of ${sessionId} could not be removed`, error);
    void store.noteStored(sessionId).catch(failed);
  }

  /** Resolves when the events of this session that were emitted until now are stored. */
  async settled(sessionId: string): Promise<void> {
    await this.#writes.get(sessionId);
  }

  /** Resolves when all emitted events are stored. */
  async flush(): Promise<void> {
    while (this.#writes.size > 0) await Promise.all(this.#writes.values());
  }

  /** Returns the id from which `follow` delivers only new events. */
  newestId(sessionId: string): Promise<number> {
    return this.#deps.store.newestId(sessionId);
  }

  /**
   * Returns the id after which `follow` continues: `lastId`, or the newest id if `lastId` is missing or higher (from
   * another database).
   */
  async startOf(sessionId: string, lastId: number | undefined): Promise<number> {
    const newest = await this.newestId(sessionId);
    return lastId === undefined || lastId > newest ? newest : lastId;
  }

  /**
   * Streams the session's events after `afterId` (null: from now on) and future ones, read as fast as the reader
   * consumes them. A reader that has missed events which are no longer kept gets one `snapshot` instead of them. Ends
   * when the session is deleted.
   * @param signal ends it
   * @param startsWithSnapshot begins with a snapshot in any case
   */
  follow(
    sessionId: string,
    afterId: number | null,
    signal?: AbortSignal,
    startsWithSnapshot = false,
  ): ReadableStream<SessionEvent> {
    const { store, source, signals, pollMs } = this.#deps;
    const start = afterId === null ? store.newestId(sessionId) : Promise.resolve(afterId);
    // Avoids an unhandled rejection; the error is thrown when the promise is awaited.
    start.catch(() => undefined);
    let position: number | null = null;
    let wasFull = false;
    return followStore<SessionEvent>({
      signals,
      topic: eventsTopic(sessionId),
      signal,
      pollMs,
      read: async () => {
        const isFirst = position === null;
        position ??= await start;
        const isBehind = isFirst || wasFull;
        if ((isFirst && startsWithSnapshot) || (isBehind && (await store.hasGap(sessionId, position)))) {
          // A client may have sent an id above the newest one: the position never decreases.
          position = Math.max(position, await store.newestId(sessionId));
          wasFull = false;
          const data = await source.snapshot(sessionId);
          return { items: [{ id: position, sessionId, name: 'snapshot', data, createdAt: Date.now() }], isLast: false };
        }
        const stored = await store.after(sessionId, position, PAGE);
        position = stored?.at(-1)?.id ?? position;
        wasFull = stored?.length === PAGE;
        const items = await Promise.all((stored ?? []).map((event) => source.complete(event)));
        return { items, isLast: stored === null };
      },
    });
  }

  /** Returns the id after which `followAll` continues: `lastId`, but no more than `MAX_MISSED` events back. */
  async startOfAll(lastId?: number): Promise<number> {
    const newest = await this.#deps.store.newestIdOfAll();
    return lastId === undefined || lastId > newest ? newest : Math.max(lastId, newest - MAX_MISSED);
  }

  /**
   * Follows changes of all sessions after `afterId`. In each batch, each kind of event of a session occurs once.
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

  /** @param append returns false if the session can have no followers */
  #inOrder(sessionId: string, name: SessionEventName, append: () => Promise<boolean>): void {
    const done = (this.#writes.get(sessionId) ?? Promise.resolve())
      .then(() => this.#store(sessionId, name, append))
      .finally(() => {
        if (this.#writes.get(sessionId) === done) this.#writes.delete(sessionId);
      });
    this.#writes.set(sessionId, done);
  }

  #notify(sessionId: string): void {
    this.#deps.signals.notify(eventsTopic(sessionId));
    this.#deps.signals.notify(ALL_EVENTS_TOPIC);
  }

  async #store(sessionId: string, name: SessionEventName, append: () => Promise<boolean>): Promise<void> {
    try {
      if (await append()) this.#notify(sessionId);
    } catch (error) {
      this.#deps.onFault(`The event ${name} of ${sessionId} could not be stored`, error);
    }
  }
}

/** Keeps only the last change of each kind and session, in order. */
function newestOfEach(changes: readonly SessionChanged[]): SessionChanged[] {
  const newest = new Map(changes.map((change) => [`${change.data.sessionId} ${change.data.name}`, change]));
  return [...newest.values()].toSorted((a, b) => a.id - b.id);
}

/** Reports events to the followers of a session; never throws. */
export interface EventSink {
  /** @param turnId the turn of the event, stored with events about the context */
  emit<Name extends SessionEventName>(
    sessionId: string,
    name: Name,
    data: SessionEventData[Name],
    turnId?: string | null,
  ): void;
}
