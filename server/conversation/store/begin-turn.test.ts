import { sql } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { NotFoundError, QueueFullError, RateLimitedError } from '#server/core/errors';
import { WROTE_SOMETHING_ELSE } from '#server/conversation/store/settle-turn';
import { MAX_QUEUED } from '#server/conversation/store/queue-repository';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { createTurnRequests } from '#server/conversation/store/turn-rows';
import {
  call,
  createTurnSession,
  lease,
  owner,
  result,
  roomy,
  say,
  textOf,
  itWithTurns as it,
} from '#tests/support/turn-session';
import { decisionsOn } from '#tests/support/decisions';

describe('beginning a turn', () => {
  it('stores the message and its running turn together', async ({ t }) => {
    const { turn, message, dequeued } = await t.start('Hi', { modelId: 'a/b' });
    expect(turn).toMatchObject({ status: 'running', userMessageId: message.id, leaseExpiresAt: 2_000, endedAt: null });
    expect(turn).toMatchObject({ modelId: 'a/b', cancelRequestedAt: null });
    expect(message).toMatchObject({ turnId: turn.id, modelId: 'a/b', seq: 1, metadata: null });
    expect(dequeued).toEqual([]);
    expect(await t.turns.running(t.sessionId)).toEqual(turn);
    expect(await t.turns.find(turn.id)).toEqual(turn);
    expect(await t.messages.find(message.id)).toEqual(message);
  });

  it('stores the keys of its senders, and NULL where none has one', async ({ t }) => {
    const stored = async (id: string) =>
      t.db.read.get<{ keys: string | null }>(sql`select key_ids as keys from turns where id = ${id}`);
    const { turn } = await t.start('Hi');
    expect(await stored(turn.id)).toEqual({ keys: null });
    await t.turns.finish(turn.id, { status: 'completed', error: null });
    const next = await t.start('And', { keyId: 'key_1' });
    expect(await stored(next.turn.id)).toEqual({ keys: '["key_1"]' });
    expect(await t.turns.find(next.turn.id)).toMatchObject({ keyIds: ['key_1'] });
  });

  it('starts exactly one of twenty concurrent ones and queues the others in distinct places', async ({ t }) => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, i) => t.turns.begin(t.request(`${i}`))));
    expect(outcomes.filter(({ kind }) => kind === 'started')).toHaveLength(1);
    const positions = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.position] : []));
    expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 19 }, (_, i) => i + 1));
    const queued = outcomes.flatMap((outcome) => (outcome.kind === 'queued' ? [outcome.item] : []));
    expect(await t.turns.queue(t.sessionId)).toEqual({ items: queued, held: false });
    expect((await t.messages.list(t.sessionId)).items).toHaveLength(1);
  });

  it('starts no more concurrent turns of one owner than allowed, and stores nothing refused', async ({ t }) => {
    const sessions = createSessionRepository(t.db);
    const create = async (ownerId: string) => (await sessions.create({ ownerId })).id;
    const others = await Promise.all(Array.from({ length: 5 }, () => create('own_test')));
    const begin = (sessionId: string) => t.turns.begin({ ...t.request('Hi'), sessionId, maxRunning: 2 });
    const outcomes = await Promise.allSettled(others.map(begin));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const refused = others.filter((_, index) => outcomes[index]?.status === 'rejected');
    await expect(begin(refused[0]!)).rejects.toBeInstanceOf(RateLimitedError);
    for (const id of refused) expect((await t.messages.list(id)).items).toEqual([]);
    expect(await begin(await create('own_other'))).toMatchObject({ kind: 'started' });
    const running = others.find((id) => !refused.includes(id))!;
    expect(await begin(running)).toMatchObject({ kind: 'queued' });
    expect(await t.turns.beginQueued(refused[0]!, { ...roomy, maxRunning: 2 })).toBeNull();
  });

  it('keeps the order of arrival for any ids', async ({ t }) => {
    await t.start('Hi');
    const ids: string[] = [];
    for (const value of ['A', 'B', 'C']) ids.push((await t.queue(value)).id);
    await t.db.write(async (tx) => {
      // As another process with a late clock would have made them.
      for (const [i, id] of ids.entries())
        await tx.run(`update queued_messages set id = 'que_${9 - i}' where id = '${id}'`);
    });
    expect(await t.waiting()).toEqual(['A', 'B', 'C']);
  });

  it('queues while the session is being compacted, until that lease runs out', async ({ t }) => {
    await t.compactions.acquire(t.sessionId, lease);
    await t.queue('Hi');
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    t.clock.time += lease.leaseMs;
    expect(textOf((await t.start('Ho')).message.parts)).toBe('First: Hi\n\nAlso: Ho');
  });

  it('refuses more than the queue holds, and an unknown session', async ({ t }) => {
    await t.start('Hi');
    for (let i = 0; i < MAX_QUEUED; i++) await t.queue(`${i}`);
    await expect(t.turns.begin(t.request('one too many', { clientRequestId: 'r' }))).rejects.toThrow(QueueFullError);
    await expect(t.turns.begin(t.request('one too many', { clientRequestId: 'r' }))).rejects.toThrow(QueueFullError);
    expect((await t.turns.queue(t.sessionId)).items).toHaveLength(MAX_QUEUED);
    await expect(t.turns.begin(t.request('Hi', { sessionId: 'ses_none' }))).rejects.toThrow(NotFoundError);
  });
});

describe('a message begun while others wait', () => {
  it('includes the held ones before it', async ({ t }) => {
    const { turn } = await t.start('Go');
    const [a, b] = [await t.queue('A'), await t.queue('B', { modelId: 'a/b' })];
    await t.turns.requestCancel(t.sessionId);
    await t.turns.finish(turn.id, { status: 'cancelled', error: null });
    expect(await t.turns.queue(t.sessionId)).toEqual({ items: [a, b], held: true });
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();

    t.clock.time = 5_000;
    const { message, dequeued, turn: next } = await t.start('C');
    expect(textOf(message.parts)).toBe('[1] A\n\n[2] B\n\n[3] C');
    expect(message.metadata).toEqual({
      coalesced: true,
      messageCount: 3,
      originalMessages: [a.id, b.id, message.id],
      firstQueuedAt: 1_000,
      lastQueuedAt: 5_000,
    });
    expect(await t.messages.find(message.id)).toEqual(message);
    expect(dequeued).toEqual([a.id, b.id]);
    expect(next.modelId).toBeNull();
    expect(await t.turns.queue(t.sessionId)).toEqual({ items: [], held: false });
  });

  it('waits after them when not all fit into one message', async ({ t }) => {
    const { turn } = await t.start('Go');
    await t.queue(say('A', 50));
    await t.end(turn.id);
    expect(await t.turns.begin(t.request(say('B', 50), { maxTokens: 100 }))).toMatchObject({
      kind: 'queued',
      position: 2,
    });
    const next = await t.turns.beginQueued(t.sessionId, { ...lease, maxTokens: 100 });
    expect(textOf(next!.message.parts)).toBe('A');
    expect(await t.waiting()).toEqual(['B']);
  });

  it('lets go of the queue when it comes while a cancel settles', async ({ t }) => {
    const { turn } = await t.start('Go');
    await t.queue('A');
    await t.turns.requestCancel(t.sessionId);
    await t.queue('B');
    expect(await t.turns.drain(turn.id, 'server-1', 1_000)).toBeNull();
    await t.turns.finish(turn.id, { status: 'cancelled', error: null });
    const next = await t.turns.beginQueued(t.sessionId, roomy);
    expect(textOf(next!.message.parts)).toBe('First: A\n\nAlso: B');
    // The thread shows what was written.
    await t.turns.finish(next!.turn.id, { status: 'completed', error: null });
    const typed = await t.start('First: C\n\nAlso: D');
    const requests = await createTurnRequests(t.db)([next!.turn.id, typed.turn.id]);
    expect([...requests.values()].map(({ words }) => words)).toEqual(['A\n\nB', 'First: C\n\nAlso: D']);
  });
});

describe('a repeated request', () => {
  const once = { clientRequestId: 'req-1' };

  it('is not run, and returns the outcome of the first', async ({ t }) => {
    const { turn } = await t.start('Hi', once);
    await t.queue('Before');
    const { id } = await t.queue('And', { clientRequestId: 'req-2' });
    expect(await t.turns.begin(t.request('Hi', once))).toMatchObject({ kind: 'repeated', position: null });
    const repeated = t.request('And', { clientRequestId: 'req-2' });
    expect(await t.turns.begin(repeated)).toEqual({ kind: 'repeated', id, position: 2 });
    await t.turns.sendNext(id, owner);
    expect(await t.turns.begin(repeated)).toEqual({ kind: 'repeated', id, position: 1 });
    await t.turns.drain(turn.id, 'server-1', 1_000);
    expect(await t.turns.begin(repeated)).toMatchObject({ kind: 'repeated', position: null });
    expect(await t.load()).toHaveLength(2);
  });

  it('stays harmless after its message was removed, and while the session is free', async ({ t }) => {
    const { turn } = await t.start('Hi');
    const { id } = await t.queue('And', once);
    await t.turns.removeQueued(id);
    await t.end(turn.id);
    expect(await t.turns.begin(t.request('And', once))).toMatchObject({ kind: 'repeated', position: null });
    expect(await t.turns.running(t.sessionId)).toBeNull();
    expect(await t.load()).toHaveLength(1);
  });

  it('does not release a held queue', async ({ t }) => {
    await t.start('Hi', once);
    await t.turns.requestCancel(t.sessionId);
    await t.turns.begin(t.request('Hi', once));
    expect((await t.turns.queue(t.sessionId)).held).toBe(true);
  });

  it('runs once although it came five times concurrently', async ({ t }) => {
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => t.turns.begin(t.request('Hi', once))));
    const kinds = outcomes.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['repeated', 'repeated', 'repeated', 'repeated', 'started']);
  });
});

describe('starting a turn for the queue', () => {
  it('sends what the user has sent from a held queue while a turn ran, and holds the others', async ({ t }) => {
    await t.turns.finish((await t.start('Go')).turn.id, { status: 'cancelled', error: null });
    const { turn } = await t.start('Again');
    await t.queue('A');
    const second = await t.queue('B');
    await t.turns.requestCancel(t.sessionId);
    await t.turns.sendNext(second.id, owner);
    await t.turns.finish(turn.id, { status: 'cancelled', error: null });
    expect(await t.turns.sessionsWithQueue()).toEqual([t.sessionId]);
    const next = await t.turns.beginQueued(t.sessionId, roomy);
    expect(next && textOf(next.message.parts)).toBe('B');
    await t.end(next!.turn.id);
    expect(await t.turns.sessionsWithQueue()).toEqual([]);
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    expect(await t.waiting()).toEqual(['A']);
  });

  it('sends all that is held when it is released, or once the session is free', async ({ t }) => {
    const { turn } = await t.start('Go');
    await t.queue('A');
    await t.turns.requestCancel(t.sessionId);
    expect(await t.turns.beginQueued(t.sessionId, roomy, { release: owner })).toBeNull();
    expect((await t.turns.queue(t.sessionId)).held).toBe(false);
    await t.turns.finish(turn.id, { status: 'cancelled', error: null });
    expect(await t.turns.sessionsWithQueue()).toEqual([t.sessionId]);
    expect(await t.turns.beginQueued(t.sessionId, roomy, { release: owner })).not.toBeNull();
  });

  it('makes one message of all, once', async ({ t }) => {
    const { turn } = await t.start('first');
    const ids = [(await t.queue('second', { modelId: 'a/b' })).id, (await t.queue('third', { modelId: 'c/d' })).id];
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    expect(await t.turns.sessionsWithQueue()).toEqual([]);
    await t.end(turn.id);
    expect(await t.turns.sessionsWithQueue()).toEqual([t.sessionId]);

    const racers = await Promise.all([1, 2, 3].map(() => t.turns.beginQueued(t.sessionId, roomy)));
    const [next, ...others] = racers.filter((outcome) => outcome !== null);
    expect(others).toEqual([]);
    expect(next).toMatchObject({ dequeued: ids, turn: { modelId: 'c/d' }, message: { seq: 2, role: 'user' } });
    expect(next?.message).toMatchObject({ turnId: next?.turn.id, metadata: { originalMessages: ids } });
    expect(textOf(next!.message.parts)).toBe('First: second\n\nAlso: third');
    expect(await t.waiting()).toEqual([]);
  });

  it('sends one alone from a held queue, and holds the others', async ({ t }) => {
    const { turn } = await t.start('Go');
    await t.queue('A');
    const { id } = await t.queue('B');
    await t.turns.requestCancel(t.sessionId);
    expect(await t.turns.beginQueued(t.sessionId, roomy, { only: id })).toBeNull();
    await t.turns.finish(turn.id, { status: 'cancelled', error: null });

    const sent = await t.turns.beginQueued(t.sessionId, roomy, { only: id });
    expect(sent).toMatchObject({ dequeued: [id], message: { metadata: null } });
    expect(textOf(sent!.message.parts)).toBe('B');
    expect(await t.turns.drain(sent!.turn.id, 'server-1', 1_000)).toBeNull();
    await t.end(sent!.turn.id);
    expect(await t.turns.sessionsWithQueue()).toEqual([]);
    expect(await t.turns.beginQueued(t.sessionId, roomy, { only: id })).toBeNull();
    expect(await t.waiting()).toEqual(['A']);
  });
});

describe('draining the queue into a running turn', () => {
  it('adds one user message after what the turn has said', async ({ t }) => {
    const { turn } = await t.start('Go', { modelId: 'a/b' });
    expect(await t.turns.drain(turn.id, 'server-1', 1_000)).toBeNull();
    await t.messages.append(t.sessionId, { role: 'assistant', parts: [call('a', 'completed')], turnId: turn.id });
    await t.messages.append(t.sessionId, { role: 'tool', parts: [result('a')], turnId: turn.id });
    const ids = [(await t.queue('A', { modelId: 'c/d' })).id, (await t.queue('B')).id];
    const drained = await t.turns.drain(turn.id, 'server-1', 1_000);
    expect(drained).toMatchObject({
      dequeued: ids,
      message: { seq: 4, role: 'user', turnId: turn.id, parentId: null },
    });
    expect(drained?.message).toMatchObject({ modelId: 'a/b', metadata: { messageCount: 2 } });
    expect((await t.load()).at(-1)).toEqual(drained?.message);
    expect(await t.waiting()).toEqual([]);
  });

  it('takes what fits, the rest later', async ({ t }) => {
    const { turn } = await t.start('Go');
    for (const value of ['A', 'B', 'C']) await t.queue(say(value, 40));
    const drain = async () => textOf((await t.turns.drain(turn.id, 'server-1', 100))?.message.parts ?? []);
    expect(await drain()).toBe('First: A\n\nAlso: B');
    expect(await drain()).toBe('C');
    expect(await drain()).toBe('');
  });

  it('leaves a message that starts its own turn, and those after it, until it is sent now', async ({ t }) => {
    const { turn } = await t.start('Go');
    await t.queue('A');
    const { id } = await t.queue('B', { startsTurn: true });
    await t.queue('C');
    const drain = async () => textOf((await t.turns.drain(turn.id, 'server-1', 1_000))?.message.parts ?? []);
    expect(await drain()).toBe('A');
    expect(await drain()).toBe('');
    expect(await t.waiting()).toEqual(['B', 'C']);
    await t.turns.sendNext(id, owner);
    expect(await drain()).toBe('First: B\n\nAlso: C');
  });

  it('takes of a held queue what the user has sent, until another cancel', async ({ t }) => {
    const { turn } = await t.start('Go');
    const ids = [];
    for (const value of ['A', 'B', 'C']) ids.push((await t.queue(value)).id);
    await t.turns.requestCancel(t.sessionId);
    await t.end(turn.id);
    const next = (await t.turns.beginQueued(t.sessionId, roomy, { only: ids[0]! }))!;
    const drain = async () => textOf((await t.turns.drain(next.turn.id, 'server-1', 1_000))?.message.parts ?? []);
    expect(await drain()).toBe('');
    await t.turns.sendNext(ids[1]!, owner);
    expect(await drain()).toBe('B');
    await t.turns.sendNext(ids[2]!, owner);
    await t.turns.requestCancel(t.sessionId);
    await t.end(next.turn.id);
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    expect(await t.waiting()).toEqual(['C']);
  });

  it('happens to a turn of ours that runs, and to no other', async ({ t }) => {
    const { turn } = await t.start('Go');
    await t.queue('A');
    const both = await Promise.all([1, 2].map(() => t.turns.drain(turn.id, 'server-1', 1_000)));
    expect(both.filter((drained) => drained !== null)).toHaveLength(1);
    await t.queue('B');
    expect(await t.turns.drain(turn.id, 'server-2', 1_000)).toBeNull();
    await t.compactions.acquire(t.sessionId, lease);
    expect(await t.turns.drain(turn.id, 'server-1', 1_000)).toBeNull();
    await t.compactions.release(t.sessionId, 'server-1');
    await t.end(turn.id);
    expect(await t.turns.drain(turn.id, 'server-1', 1_000)).toBeNull();
    expect(await t.waiting()).toEqual(['B']);
  });
});

describe('a message while calls wait for approval', () => {
  async function asking({ waiting = [] }: { waiting?: string[] } = {}) {
    const t = await createTurnSession();
    const { turn } = await t.start('Go');
    const assistant = await t.messages.append(t.sessionId, {
      role: 'assistant',
      turnId: turn.id,
      parts: [call('a', 'completed'), call('b'), call('c')],
    });
    await t.messages.append(t.sessionId, { role: 'tool', parts: [result('a')], turnId: turn.id });
    for (const value of waiting) await t.queue(value);
    const approvals = assistant.parts.slice(1).map(({ id }) => ({ partId: id, effect: null }));
    await t.turns.finish(turn.id, { status: 'waiting_approval', error: null, approvals });
    return { ...t, turnId: turn.id };
  }

  const outputs = async (t: Awaited<ReturnType<typeof asking>>) =>
    (await t.load())
      .filter(({ role }) => role === 'tool')
      .flatMap(({ parts }) => parts)
      .map(({ content }) => content);

  it('denies them, right after the calls', async () => {
    await using t = await asking();
    await t.turns.decide(
      t.sessionId,
      await decisionsOn(t.turns, t.sessionId, { toolCallId: 'b', approved: true }),
      lease,
    );
    t.clock.time = 1_500;
    await t.start('Never mind');
    expect((await t.load()).map(({ role, seq }) => [role, seq])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['user', 4],
    ]);
    const denied = { toolName: 'get_page', output: { type: 'execution-denied', reason: WROTE_SOMETHING_ELSE } };
    expect((await outputs(t)).slice(1)).toEqual([
      { toolCallId: 'b', ...denied },
      { toolCallId: 'c', ...denied },
    ]);
    expect((await t.load())[1]?.parts.map(({ state }) => state)).toEqual(['completed', 'error', 'error']);
    expect(await t.turns.find(t.turnId)).toMatchObject({ status: 'completed', endedAt: 1_500 });
    const reason = WROTE_SOMETHING_ELSE;
    expect(await t.turns.approvals(t.turnId)).toMatchObject([
      { toolCallId: 'b', status: 'denied', reason },
      { toolCallId: 'c', status: 'denied', reason },
    ]);
    expect(await t.turns.pendingApprovals(t.sessionId)).toEqual([]);
  });

  it("keeps the user's own reason", async () => {
    await using t = await asking();
    await t.turns.decide(
      t.sessionId,
      await decisionsOn(t.turns, t.sessionId, { toolCallId: 'b', approved: false, reason: 'Wrong page' }),
      lease,
    );
    await t.start('Never mind');
    expect((await outputs(t)).slice(1)).toMatchObject([
      { toolCallId: 'b', output: { reason: 'Wrong page' } },
      { toolCallId: 'c', output: { reason: WROTE_SOMETHING_ELSE } },
    ]);
  });

  it('denies them also when a compaction makes it wait', async () => {
    await using t = await asking();
    await t.compactions.acquire(t.sessionId, lease);
    await t.queue('Never mind');
    expect(await t.turns.pendingApprovals(t.sessionId)).toEqual([]);
    await t.compactions.release(t.sessionId, 'server-1');
    expect(await t.turns.beginQueued(t.sessionId, roomy)).not.toBeNull();
  });

  it('is answered by no message that was written before the question, unless the user sends it', async () => {
    await using t = await asking({ waiting: ['And B'] });
    const [item] = (await t.turns.queue(t.sessionId)).items;
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    expect(await t.turns.sessionsWithQueue()).toEqual([]);
    expect(await t.turns.pendingApprovals(t.sessionId)).toHaveLength(2);
    expect(await t.turns.beginQueued(t.sessionId, roomy, { only: item!.id })).not.toBeNull();
    expect(await t.turns.pendingApprovals(t.sessionId)).toEqual([]);
    expect(await outputs(t)).toHaveLength(3);
  });

  it('names a session by its first message, and never again', async ({ t }) => {
    await t.turns.begin(t.request('Hi', { title: 'Hi there' }));
    await t.turns.begin(t.request('And', { title: 'Another' }));
    expect((await t.sessions.get(t.sessionId)).title).toBe('Hi there');
  });
});
