import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SessionChanged } from '#server/core/conversation/session-overview';
import { eventsTopic, type QueueData, type SessionEvent } from '#server/core/conversation/events';
import { EMPTY_CONVERSATION } from '#server/core/conversation/conversation-state';
import { type EventDataReader, type EventStore, SessionEvents } from '#server/conversation/events/session-events';

/** Signals as the process has them, and what is subscribed. */
class TestSignals {
  readonly listeners = new Map<string, Set<() => void>>();
  isDeaf = false;
  isShared = false;

  notify(topic: string): void {
    if (!this.isDeaf) for (const listener of Array.from(this.listeners.get(topic) ?? [])) listener();
  }

  subscribe(topic: string, listener: () => void): () => void {
    const entries = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, entries.add(listener));
    return () => entries.delete(listener);
  }

  get count(): number {
    return [...this.listeners.values()].reduce((sum, entries) => sum + entries.size, 0);
  }
}

/** Events in memory; ids grow over all sessions. */
class MemoryEvents implements EventStore {
  readonly rows: SessionEvent[] = [];
  reads = 0;
  queue: QueueData = { items: [], held: false };
  readonly deleted = new Set<string>();

  async append(sessionId: string, name: string, data: unknown): Promise<boolean> {
    // The first may take longer than the others.
    if (this.rows.length === 0) await new Promise((resolve) => setImmediate(resolve));
    if (this.deleted.has(sessionId)) return false;
    if (name === 'turn:end') throw new Error('disk full');
    this.rows.push({ id: this.rows.length + 1, sessionId, name, data, createdAt: 1 } as SessionEvent);
    return true;
  }

  async noteStored(): Promise<void> {}

  async appendQueue(sessionId: string): Promise<QueueData | null> {
    const { queue } = this;
    return (await this.append(sessionId, 'queue:changed', queue)) ? queue : null;
  }

  async after(sessionId: string, id: number, limit: number): Promise<SessionEvent[] | null> {
    this.reads += 1;
    if (this.deleted.has(sessionId)) return null;
    return this.rows.filter((row) => row.sessionId === sessionId && row.id > id).slice(0, limit);
  }

  async hasGap(): Promise<boolean> {
    return false;
  }

  async newestUsage(): Promise<null> {
    return null;
  }

  async newestId(sessionId: string): Promise<number> {
    return this.rows.findLast((row) => row.sessionId === sessionId)?.id ?? 0;
  }

  async newestIdOfAll(): Promise<number> {
    return this.rows.length;
  }

  async changesAfter(afterId: number, limit: number): Promise<SessionChanged[]> {
    this.reads += 1;
    const rows = this.rows.filter(({ id }) => id > afterId).slice(0, limit);
    return rows.map(({ id, sessionId, name }) => ({ id, name: 'session:changed', data: { sessionId, name } }));
  }
}

/** Events that carry nothing more than what is stored. */
const asStored: EventDataReader = {
  snapshot: () => Promise.resolve(EMPTY_CONVERSATION),
  complete: (event) => Promise.resolve(event),
};

const SESSION = 'ses_1';
const open: AbortController[] = [];
afterEach(() => {
  for (const controller of open.splice(0)) controller.abort();
});

function setUp(pollMs = 600_000) {
  const store = new MemoryEvents();
  const signals = new TestSignals();
  const onFault = vi.fn();
  const events = new SessionEvents({ store, source: asStored, signals, onFault, pollMs });
  const emit = (id: string, sessionId = SESSION) => events.emit(sessionId, 'message:queued', { id, position: 1 });
  const follow = (afterId: number | null) => {
    const controller = new AbortController();
    open.push(controller);
    const reader = events.follow(SESSION, afterId, controller.signal).getReader();
    const next = async () => {
      const { value } = await reader.read();
      return value && 'id' in value.data ? value.data.id : value;
    };
    return { reader, next, abort: () => controller.abort() };
  };
  return { store, signals, onFault, events, emit, follow };
}

describe('the events of a session', () => {
  it('contain the state of the queue when they are stored, not when it changed', async () => {
    const { store, events, emit } = setUp();
    const told: QueueData[] = [];
    emit('a');
    events.emitQueue(SESSION, (data) => told.push(data));
    store.queue = { items: [{ id: 'que_1', text: 'Hi', files: [], createdAt: 1 }], held: true };
    events.emitQueue(SESSION, (data) => told.push(data));
    await events.flush();
    expect(store.rows.slice(1).map(({ data }) => data)).toEqual([store.queue, store.queue]);
    expect(told).toEqual([store.queue, store.queue]);
  });

  it('that cannot be stored are a fault and hold up no other; of a deleted session they are none', async () => {
    const { store, events, emit, onFault } = setUp();
    store.deleted.add('ses_gone');
    emit('a', 'ses_gone');
    events.emit(SESSION, 'turn:end', { turnId: 'trn_1', status: 'completed', error: null });
    emit('b');
    await events.flush();
    expect(store.rows).toHaveLength(1);
    expect(onFault).toHaveBeenCalledOnce();
    expect(onFault.mock.lastCall?.[0]).toContain('turn:end');
  });

  it('begin now for a client that has none', async () => {
    const { events, emit, follow } = setUp();
    emit('a');
    await events.flush();
    const { next } = follow(null);
    await events.newestId(SESSION);
    emit('b');
    await events.flush();
    expect(await next()).toBe('b');
  });

  it('go on where a client was, and begin now for one that was at another database', async () => {
    const { events, emit } = setUp();
    emit('a');
    emit('b');
    await events.flush();
    expect(await events.startOf(SESSION, undefined)).toBe(2);
    expect(await events.startOf(SESSION, 1)).toBe(1);
    expect(await events.startOf(SESSION, 99_999_999)).toBe(2);
  });

  it('are read page by page, and only on demand', async () => {
    const { store, events, emit, follow } = setUp();
    for (let index = 0; index < 250; index += 1) emit(String(index));
    await events.flush();
    const { next } = follow(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.reads).toBe(0);
    for (let index = 0; index < 100; index += 1) expect(await next()).toBe(String(index));
    expect(store.reads).toBe(1);
    for (let index = 100; index < 250; index += 1) expect(await next()).toBe(String(index));
    expect(store.reads).toBe(3);
  });

  it('are found without a signal, a little later', async () => {
    const { events, signals, emit, follow } = setUp(5);
    signals.isDeaf = true;
    const { next } = follow(0);
    const coming = next();
    emit('a');
    await events.flush();
    expect(await coming).toBe('a');
  });

  it('are read once per signal', async () => {
    const { store, signals, follow } = setUp();
    const { reader } = follow(0);
    void reader.read();
    await vi.waitFor(() => expect(store.reads).toBe(1));
    signals.notify(eventsTopic(SESSION));
    await vi.waitFor(() => expect(store.reads).toBe(2));
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.reads).toBe(2);
  });

  it('are not missed when they come while others are read', async () => {
    const { store, events, signals, emit, follow } = setUp();
    const after = store.after.bind(store);
    const { next } = follow(0);
    store.after = async (...query) => {
      const found = await after(...query);
      store.after = after;
      emit('late');
      await events.flush();
      return found;
    };
    expect(await next()).toBe('late');
    expect(signals.count).toBe(1);
  });

  it('end and release everything when the client leaves, the server closes or a read fails', async () => {
    const { store, signals, follow } = setUp();
    const [gone, closed, failed] = [follow(0), follow(0), follow(0)];
    expect(signals.count).toBe(3);
    const [waiting, alsoWaiting] = [gone.reader.read(), closed.reader.read()];
    await gone.reader.cancel();
    closed.abort();
    expect([(await waiting).done, (await alsoWaiting).done]).toEqual([true, true]);
    store.after = () => Promise.reject(new Error('broken'));
    await expect(failed.reader.read()).rejects.toThrow('broken');
    expect(signals.count).toBe(0);
    expect(signals.listeners.has(eventsTopic(SESSION))).toBe(true);
  });

  it('end when the session is deleted', async () => {
    const { store, signals, follow } = setUp(5);
    const { reader } = follow(0);
    const waiting = reader.read();
    store.deleted.add(SESSION);
    expect((await waiting).done).toBe(true);
    expect(signals.count).toBe(0);
  });

  it('are none for a client that left before they begin', async () => {
    const { events, signals } = setUp();
    const reader = events.follow(SESSION, null, AbortSignal.abort()).getReader();
    expect((await reader.read()).done).toBe(true);
    expect(signals.count).toBe(0);
  });
});

describe('the changes of all sessions', () => {
  function setUpAll() {
    const t = setUp();
    const follow = (afterId: number) => {
      const controller = new AbortController();
      open.push(controller);
      const reader = t.events.followAll(afterId, controller.signal).getReader();
      return { reader, abort: () => controller.abort(), next: async () => (await reader.read()).value };
    };
    return { ...t, follow };
  }

  it('of one kind in one session are reported once per read, and never twice', async () => {
    const { events, emit, follow } = setUpAll();
    for (const id of ['a', 'b', 'c']) emit(id);
    await events.flush();
    emit('d', 'ses_2');
    await events.flush();
    emit('e');
    events.emit(SESSION, 'compaction:failed', { message: 'no' });
    await events.flush();
    const { next } = follow(1);
    const told = [await next(), await next(), await next()];
    expect(told.map((change) => [change?.id, change?.data.sessionId, change?.data.name])).toEqual([
      [4, 'ses_2', 'message:queued'],
      [5, SESSION, 'message:queued'],
      [6, SESSION, 'compaction:failed'],
    ]);
    const coming = next();
    emit('f');
    expect((await coming)?.id).toBe(7);
  });

  it('start where the client was, now for one that was nowhere, and not too far back', async () => {
    const { events, emit, store } = setUpAll();
    expect(await events.startOfAll(undefined)).toBe(0);
    for (let index = 0; index < 1_200; index += 1) emit(String(index));
    await events.flush();
    expect(store.rows).toHaveLength(1_200);
    expect(await events.startOfAll(undefined)).toBe(1_200);
    expect(await events.startOfAll(900)).toBe(900);
    expect(await events.startOfAll(3)).toBe(200);
    // Of another database.
    expect(await events.startOfAll(5_000)).toBe(1_200);
  });
});
