import { describe, expect, it, vi } from 'vitest';
import {
  changesQuery,
  createEventRepository,
  KEPT_EVENTS,
  TRIM_EVERY,
} from '#server/conversation/store/event-repository';
import { events } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { queryPlan } from '#tests/support/query-plan';
import { createTestDatabase } from '#tests/support/test-database';

async function setUp() {
  const db = await createTestDatabase();
  const sessions = createSessionRepository(db);
  const onFault = vi.fn();
  const repository = createEventRepository(db, { now: () => 7, onFault });
  const newSession = async () => (await sessions.create({ ownerId: 'own_1' })).id;
  /** Gives the id of the event; null if it was not stored. */
  const tell = async (sessionId: string, position: number) => {
    const isStored = await repository.append(sessionId, 'message:queued', { id: 'que_1', position });
    return isStored ? repository.newestId(sessionId) : null;
  };
  return { db, sessions, repository, onFault, newSession, tell, [Symbol.asyncDispose]: () => db.close() };
}

describe('EventRepository', () => {
  it('gives a session its own events back, in order', async () => {
    await using t = await setUp();
    const [a, b] = [await t.newSession(), await t.newSession()];
    expect(await t.repository.newestId(a)).toBe(0);
    const ids = [await t.tell(a, 1), await t.tell(b, 1), await t.tell(a, 2), await t.tell(a, 3)];
    expect(ids).toEqual([1, 2, 3, 4]);
    expect(await t.repository.after(a, 0, 2)).toEqual([
      { id: 1, sessionId: a, name: 'message:queued', data: { id: 'que_1', position: 1 }, createdAt: 7 },
      { id: 3, sessionId: a, name: 'message:queued', data: { id: 'que_1', position: 2 }, createdAt: 7 },
    ]);
    expect((await t.repository.after(a, 3, 10))?.map(({ id }) => id)).toEqual([4]);
    expect(await t.repository.newestId(a)).toBe(4);
    expect(await t.repository.newestId(b)).toBe(2);
  });

  it('keeps the newest of every session, also when other sessions report many', async () => {
    await using t = await setUp();
    const [loud, quiet] = [await t.newSession(), await t.newSession()];
    const old = Array.from({ length: KEPT_EVENTS }, () => ({
      sessionId: loud,
      name: 'turn:end',
      data: '{}',
      createdAt: 1,
    }));
    await t.db.write(async (tx) => tx.insert(events).values(old));
    for (let i = 0; i < TRIM_EVERY; i += 1) await t.tell(i % 2 === 0 ? loud : quiet, i);
    const kept = await t.repository.after(loud, 0, 10_000);
    expect(kept).toHaveLength(KEPT_EVENTS);
    expect(kept?.at(-1)).toMatchObject({ data: { position: TRIM_EVERY - 2 } });
    expect(await t.repository.after(quiet, 0, 10_000)).toHaveLength(TRIM_EVERY / 2);
  });

  it('returns events of all sessions in order, by the key of the table', async () => {
    await using t = await setUp();
    const [a, b] = [await t.newSession(), await t.newSession()];
    const { id: foreign } = await t.sessions.create({ ownerId: 'own_2' });
    expect(await t.repository.newestIdOfAll()).toBe(0);
    for (const [sessionId, position] of [
      [a, 1],
      [b, 1],
      [foreign, 1],
      [a, 2],
      [b, 2],
    ] as const) {
      await t.tell(sessionId, position);
    }
    const told = (sessionId: string) => ({ sessionId, name: 'message:queued' });
    expect(await t.repository.changesAfter(1, 2)).toEqual([
      { id: 2, name: 'session:changed', data: told(b) },
      { id: 3, name: 'session:changed', data: told(foreign) },
    ]);
    expect((await t.repository.changesAfter(4, 10)).map(({ id }) => id)).toEqual([5]);
    expect(await t.repository.newestIdOfAll()).toBe(5);
    const plan = await queryPlan(t.db, changesQuery(t.db.read, 4, 10));
    expect(plan[0]).toBe('SEARCH events USING INTEGER PRIMARY KEY (rowid>?)');
    expect(plan.join()).not.toContain('TEMP B-TREE');
  });

  it('stores nothing for a session that is gone, and forgets its events', async () => {
    await using t = await setUp();
    const sessionId = await t.newSession();
    const before = await t.tell(sessionId, 1);
    await t.sessions.delete(sessionId);
    expect(await t.tell(sessionId, 2)).toBeNull();
    expect(await t.repository.appendQueue(sessionId)).toBeNull();
    expect(await t.repository.after(sessionId, 0, 10)).toBeNull();
    expect(await t.tell(await t.newSession(), 1)).toBeGreaterThan(before!);
  });

  it('stores an event although old ones cannot be removed, and removes them later', async () => {
    await using t = await setUp();
    const sessionId = await t.newSession();
    const old = Array.from({ length: KEPT_EVENTS }, () => ({ sessionId, name: 'turn:end', data: '{}', createdAt: 1 }));
    await t.db.write(async (tx) => tx.insert(events).values(old));
    await t.db.write(async (tx) =>
      tx.run(`CREATE TRIGGER stuck BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'stuck'); END`),
    );
    for (let i = 0; i < TRIM_EVERY; i += 1) expect(await t.tell(sessionId, i)).not.toBeNull();
    expect(t.onFault).toHaveBeenCalledOnce();
    await t.db.write(async (tx) => tx.run('DROP TRIGGER stuck'));
    for (let i = 0; i < TRIM_EVERY; i += 1) await t.tell(sessionId, i);
    expect(await t.repository.after(sessionId, 0, 10_000)).toHaveLength(KEPT_EVENTS);
  });
});
