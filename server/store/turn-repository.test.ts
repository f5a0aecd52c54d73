import { describe, expect, it, vi } from 'vitest';
import { call, createTurnSession, lease, result, roomy, text } from '#tests/support/turn-session';

describe('TurnRepository', () => {
  it('ends a turn once', async () => {
    await using t = await createTurnSession();
    const { turn } = await t.start('Hi');
    t.clock.time = 1_200;
    expect(await t.turns.finish(turn.id, { status: 'failed', error: 'no\u0000provider' })).toBe(true);
    expect(await t.end(turn.id)).toBe(false);
    expect(await t.turns.find(turn.id)).toMatchObject({ status: 'failed', error: 'no\uFFFDprovider', endedAt: 1_200 });
    expect(await t.turns.running(t.sessionId)).toBeNull();
    expect(await t.turns.find('trn_none')).toBeNull();
  });

  it('renews leases for their owner while the turns run, all in one write', async () => {
    await using t = await createTurnSession();
    const { turn } = await t.start('Hi');
    const other = await t.sessions.create({ ownerId: 'own_1' });
    const { turn: second } = await t.start('Hi', { sessionId: other.id });
    const both = [turn.id, second.id, 'trn_none'];
    const alive = { cancelRequested: false };
    t.clock.time = 1_900;
    const write = vi.spyOn(t.db, 'write');
    expect(await t.turns.renew(both, lease)).toEqual(new Map([turn.id, second.id].map((id) => [id, alive])));
    expect(write).toHaveBeenCalledTimes(1);
    expect(await t.turns.renew(both, { ...lease, leaseOwner: 'server-2' })).toEqual(new Map());
    t.clock.time = 2_500;
    expect(await t.turns.expired()).toEqual([]);
    t.clock.time = 2_900;
    expect((await t.turns.expired()).map(({ id }) => id).toSorted()).toEqual([turn.id, second.id].toSorted());
    await t.end(turn.id);
    expect(await t.turns.renew(both, lease)).toEqual(new Map([[second.id, alive]]));
    expect(await t.turns.expired()).toEqual([]);
  });
});

it('knows the sessions of an owner in which something runs or waits', async () => {
  await using t = await createTurnSession();
  expect(await t.turns.busySessions('own_1')).toEqual([]);
  const { turn } = await t.start('Hi');
  expect(await t.turns.busySessions('own_1')).toEqual([t.sessionId]);
  expect(await t.turns.busySessions('own_2')).toEqual([]);
  await t.queue('A');
  await t.end(turn.id);
  expect(await t.turns.busySessions('own_1')).toEqual([t.sessionId]);
  await t.turns.clearQueue(t.sessionId);
  expect(await t.turns.busySessions('own_1')).toEqual([]);
});

describe('asking a turn to stop', () => {
  it('tells the turn and holds the queue', async () => {
    await using t = await createTurnSession();
    const { turn } = await t.start('Hi');
    await t.queue('A');
    t.clock.time = 1_100;
    expect(await t.turns.requestCancel(t.sessionId)).toEqual({
      turn: { ...turn, cancelRequestedAt: 1_100 },
      persisted: null,
    });
    expect(await t.turns.renew([turn.id], lease)).toEqual(new Map([[turn.id, { cancelRequested: true }]]));
    expect((await t.turns.queue(t.sessionId)).held).toBe(true);
    t.clock.time = 1_200;
    expect((await t.turns.requestCancel(t.sessionId))?.turn.cancelRequestedAt).toBe(1_100);
    await t.end(turn.id);
    expect(await t.turns.sessionsWithQueue()).toEqual([]);
  });

  it('holds what waits also when the turn has just ended', async () => {
    await using t = await createTurnSession();
    const { turn } = await t.start('Hi');
    await t.queue('A');
    await t.end(turn.id);
    expect(await t.turns.requestCancel(t.sessionId)).toBeNull();
    expect((await t.turns.queue(t.sessionId)).held).toBe(true);
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
  });

  it('changes nothing while none runs and nothing waits', async () => {
    await using t = await createTurnSession();
    expect(await t.turns.requestCancel(t.sessionId)).toBeNull();
    expect(await t.turns.requestCancel('ses_none')).toBeNull();
    expect((await t.turns.queue(t.sessionId)).held).toBe(false);
  });

  it('says what there is of the answer', async () => {
    await using t = await createTurnSession();
    await t.end((await t.start('Before')).turn.id);
    const { turn } = await t.start('Hi');
    const persisted = async () => (await t.turns.requestCancel(t.sessionId))?.persisted;
    const answer = await t.messages.append(t.sessionId, {
      role: 'assistant',
      turnId: turn.id,
      parts: [{ type: 'step-start', content: {} }],
    });
    expect(await persisted()).toBeNull();
    await t.messages.addPart(answer.id, text('Hel'));
    expect(await persisted()).toBe('partial_assistant');
    const { id } = await t.messages.addPart(answer.id, call('a', 'running'));
    expect(await persisted()).toBe('tools_in_progress');
    await t.messages.updatePart(id, { state: 'completed' });
    await t.messages.append(t.sessionId, { role: 'tool', turnId: turn.id, parts: [result('a')] });
    expect(await persisted()).toBe('partial_assistant');
    await t.end(turn.id);
    await t.start('Next');
    expect(await persisted()).toBeNull();
  });

  it('frees a session from a compaction whose process died, not from one that is only late', async () => {
    await using t = await createTurnSession();
    const { turns, compactions, sessions, sessionId, clock } = t;
    await compactions.acquire(sessionId, { leaseOwner: 'server-2', leaseMs: 1_000 });
    clock.time += 3_000;
    expect(await turns.releaseDeadCompactions()).toBe(0);
    clock.time += 10_000;
    expect(await turns.releaseDeadCompactions()).toBe(1);
    expect(await turns.releaseDeadCompactions()).toBe(0);
    expect(await sessions.get(sessionId)).toMatchObject({ currentlyCompacting: false, compactingSince: null });
  });
});
