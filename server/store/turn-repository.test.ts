import { describe, expect, it } from 'vitest';
import { NotFoundError, QueueFullError } from '#server/core/errors';
import type { NewMessage } from '#server/core/messages';
import { MAX_QUEUED, type TurnRequest } from '#server/store/begin-turn';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { createMessageRepository } from '#server/store/message-repository';
import { createSessionRepository } from '#server/store/session-repository';
import { createTurnRepository } from '#server/store/turn-repository';
import { createTestDatabase } from '#tests/support/test-database';

const lease = { leaseOwner: 'server-1', leaseMs: 1_000 };
const say = (text: string): NewMessage => ({ role: 'user', parts: [{ type: 'text', content: { text } }] });

async function setUp() {
  const db = await createTestDatabase();
  const clock = { time: 1_000 };
  const now = () => clock.time;
  const { id: sessionId } = await createSessionRepository(db, now).create({ ownerId: 'own_1' });
  const turns = createTurnRepository(db, now);
  const request = (text: string, clientRequestId: string | null = null): TurnRequest => ({
    sessionId,
    message: say(text),
    modelId: 'a/b',
    clientRequestId,
    ...lease,
  });
  async function start(text: string) {
    const outcome = await turns.begin(request(text));
    if (outcome.kind !== 'started') throw new Error(outcome.kind);
    return outcome;
  }
  return {
    db,
    clock,
    sessionId,
    turns,
    request,
    start,
    messages: createMessageRepository(db, now),
    compactions: createCompactionRepository(db, now),
    [Symbol.asyncDispose]: () => db.close(),
  };
}

describe('TurnRepository.begin', () => {
  it('stores the message and its running turn together', async () => {
    await using t = await setUp();
    const { turn, message } = await t.start('Hi');
    expect(turn).toMatchObject({ status: 'running', userMessageId: message.id, leaseExpiresAt: 2_000, endedAt: null });
    expect(message).toMatchObject({ turnId: turn.id, modelId: 'a/b', seq: 1 });
    expect(await t.turns.running(t.sessionId)).toEqual(turn);
    expect(await t.turns.find(turn.id)).toEqual(turn);
    expect(await t.messages.find(message.id)).toEqual(message);
  });

  it('starts exactly one of twenty at once and queues the others in distinct places', async () => {
    await using t = await setUp();
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => t.turns.begin(t.request(`${i}`))));
    expect(outcomes.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    const positions = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.position] : []));
    expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 19 }, (_, i) => i + 1));
    const queued = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.item] : []));
    expect(await t.turns.queue.list(t.sessionId)).toEqual(queued);
    expect((await t.messages.list(t.sessionId)).items).toHaveLength(1);
  });

  it('does nothing for a repeated request, and says what became of the first', async () => {
    await using t = await setUp();
    const started = await t.turns.begin(t.request('Hi', 'req-1'));
    const turnId = started.kind === 'started' ? started.turn.id : '';
    const queued = await t.turns.begin(t.request('And', 'req-2'));
    const queuedId = queued.kind === 'queued' ? queued.item.id : '';

    expect(await t.turns.begin(t.request('Hi', 'req-1'))).toEqual({ kind: 'repeated', turnId, queued: null });
    const place = { id: queuedId, position: 1 };
    expect(await t.turns.begin(t.request('And', 'req-2'))).toEqual({ kind: 'repeated', turnId: null, queued: place });

    await t.turns.finish(turnId, { status: 'completed' });
    const next = await t.turns.beginQueued(t.sessionId, lease);
    expect(await t.turns.begin(t.request('And', 'req-2'))).toMatchObject({ kind: 'repeated', turnId: next?.turn.id });
    expect((await t.messages.list(t.sessionId)).items).toHaveLength(2);
  });

  it('runs a request once although it came five times at once', async () => {
    await using t = await setUp();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => t.turns.begin(t.request('Hi', 'req-1'))));
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual([
      'repeated',
      'repeated',
      'repeated',
      'repeated',
      'started',
    ]);
  });

  it('queues while the session is being compacted, until that lease runs out', async () => {
    await using t = await setUp();
    await t.compactions.acquire(t.sessionId, lease);
    expect((await t.turns.begin(t.request('Hi'))).kind).toBe('queued');
    expect(await t.turns.beginQueued(t.sessionId, lease)).toBeNull();
    t.clock.time += lease.leaseMs;
    expect((await t.turns.begin(t.request('Ho'))).kind).toBe('started');
  });

  it('refuses more than the queue holds, and an unknown session', async () => {
    await using t = await setUp();
    await t.start('Hi');
    for (let i = 0; i < MAX_QUEUED; i++) await t.turns.begin(t.request(`${i}`));
    await expect(t.turns.begin(t.request('one too many'))).rejects.toThrow(QueueFullError);
    expect(await t.turns.queue.list(t.sessionId)).toHaveLength(MAX_QUEUED);
    await expect(t.turns.begin({ ...t.request('Hi'), sessionId: 'ses_none' })).rejects.toThrow(NotFoundError);
  });
});

describe('TurnRepository', () => {
  it('starts the oldest queued message when the turn has ended', async () => {
    await using t = await setUp();
    const { turn } = await t.start('first');
    await t.turns.begin(t.request('second'));
    await t.turns.begin(t.request('third'));
    expect(await t.turns.beginQueued(t.sessionId, lease)).toBeNull();
    expect(await t.turns.sessionsWithQueue()).toEqual([]);

    expect(await t.turns.finish(turn.id, { status: 'failed', error: 'no provider' })).toBe(true);
    expect(await t.turns.finish(turn.id, { status: 'completed' })).toBe(false);
    expect(await t.turns.find(turn.id)).toMatchObject({ status: 'failed', error: 'no provider', endedAt: 1_000 });
    expect(await t.turns.sessionsWithQueue()).toEqual([t.sessionId]);

    const racers = await Promise.all([1, 2, 3].map(() => t.turns.beginQueued(t.sessionId, lease)));
    const [next, ...others] = racers.filter((outcome) => outcome !== null);
    expect(others).toEqual([]);
    expect(next).toMatchObject({ modelId: 'a/b', message: { seq: 2, role: 'user', turnId: next?.turn.id } });
    expect(next?.message.parts[0]?.content).toEqual({ text: 'second' });
    expect(await t.turns.queue.list(t.sessionId)).toHaveLength(1);
  });

  it('renews a lease for its owner while the turn runs', async () => {
    await using t = await setUp();
    const { turn } = await t.start('Hi');
    t.clock.time = 1_900;
    expect(await t.turns.renew(turn.id, 'server-1', 1_000)).toBe(true);
    expect(await t.turns.renew(turn.id, 'server-2', 1_000)).toBe(false);
    t.clock.time = 2_500;
    expect(await t.turns.expired()).toEqual([]);
    t.clock.time = 2_900;
    expect((await t.turns.expired()).map(({ id }) => id)).toEqual([turn.id]);
    await t.turns.finish(turn.id, { status: 'completed' });
    expect(await t.turns.expired()).toEqual([]);
    expect(await t.turns.renew(turn.id, 'server-1', 1_000)).toBe(false);
  });
});
