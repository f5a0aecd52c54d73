import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#server/core/errors';
import type { NewPart } from '#server/core/conversation/parts';
import { createApiKeyRepository } from '#server/platform/auth/store/api-key-repository';
import { call, createTurnSession, lease, owner, roomy, text } from '#tests/support/turn-session';
import { decisionsOn } from '#tests/support/decisions';

async function withWaiting(...texts: string[]) {
  const t = await createTurnSession();
  const { turn } = await t.start('Go');
  const ids: string[] = [];
  for (const value of texts) ids.push((await t.queue(value)).id);
  return { ...t, turn, ids };
}

describe('QueueRepository', () => {
  it('keeps the files of a message whose text is edited, unless others are named', async () => {
    await using t = await withWaiting();
    const file = (name: string): NewPart => ({
      type: 'file',
      content: { mediaType: 'image/png', filename: name, url: `@blob:${name}` },
      tokens: 9,
    });
    const { id } = await t.queue({ role: 'user', parts: [text('A', 1), file('one'), file('two')] });
    expect(await t.turns.editQueued(id, [text('a', 1)], owner)).toMatchObject({
      parts: [text('a', 1), file('one'), file('two')],
    });
    expect((await t.turns.editQueued(id, [text('b', 1), file('three')], owner)).parts).toEqual([
      text('b', 1),
      file('three'),
    ]);
    expect(await t.turns.queued(id)).toMatchObject({ parts: [text('b', 1), file('three')] });
    await expect(t.turns.queued('que_none')).rejects.toThrow(NotFoundError);
  });

  it('puts one in front, repeatedly, and new ones last', async () => {
    await using t = await withWaiting('A', 'B', 'C');
    const [a, b, c] = t.ids as [string, string, string];
    expect(await t.turns.sendNext(c, owner)).toMatchObject({ id: c });
    await t.turns.sendNext(b, owner);
    expect(await t.waiting()).toEqual(['B', 'C', 'A']);
    await t.turns.sendNext(a, owner);
    const outcome = await t.turns.begin(t.request('D'));
    expect(outcome).toMatchObject({ kind: 'queued', position: 4 });
    expect(await t.waiting()).toEqual(['A', 'B', 'C', 'D']);
  });

  it('clears one session', async () => {
    await using t = await withWaiting('A', 'B');
    const other = await t.sessions.create({ ownerId: 'own_1' });
    await t.turns.begin(t.request('Go', { sessionId: other.id }));
    await t.turns.begin(t.request('X', { sessionId: other.id }));
    expect(await t.turns.clearQueue(t.sessionId)).toBe(2);
    expect(await t.turns.clearQueue(t.sessionId)).toBe(0);
    expect((await t.turns.queue(other.id)).items).toHaveLength(1);
  });

  it('keeps the order of rows from before there were ranks', async () => {
    await using t = await withWaiting('A', 'B');
    await t.db.write((tx) => tx.run('update queued_messages set rank = 0'));
    await t.queue('C');
    expect(await t.waiting()).toEqual(['A', 'B', 'C']);
  });
});

describe('a message that was sent with an API key', () => {
  const key = { userId: 'own_1', name: 'Robot', scopes: ['chat'] as const, prefix: 'tl_' };

  it('is held from the moment its key ends, and belongs to the user who sends it', async () => {
    await using t = await createTurnSession();
    const keys = createApiKeyRepository(t.db, () => t.clock.time);
    const robot = await keys.create({ ...key, hash: 'a', expiresAt: 2_000 });
    const other = await keys.create({ ...key, hash: 'b', expiresAt: null });
    const { turn } = await t.start('Go', { keyId: other.id });
    expect(turn.keyIds).toEqual([other.id]);
    await t.queue('A', { keyId: robot.id, scopes: ['chat', 'content:write'] });
    await t.queue('B', { keyId: other.id });
    t.clock.time = 2_000;
    // No process has looked for it yet.
    expect((await t.turns.drain(turn.id, lease.leaseOwner, 1_000_000))?.dequeued).toHaveLength(1);
    expect(await t.waiting()).toEqual(['A']);
    await t.end(turn.id);
    const { turn: next } = await t.start('Next');
    expect(next.keyIds).toBeNull();
    await t.end(next.id);
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    expect(await t.turns.endLapsedKeyWork()).toMatchObject([{ reason: 'key-expired', turnId: null, held: 1 }]);
    const [held] = (await t.turns.queue(t.sessionId)).items;
    expect(held).toMatchObject({ keyId: robot.id, heldReason: 'key-expired' });
    expect(await t.turns.sessionsWithQueue()).toEqual([]);

    const sender = { scopes: ['chat', 'content:read'] as const, keyId: other.id };
    const begun = await t.turns.beginQueued(t.sessionId, roomy, { release: sender });
    expect(begun?.turn).toMatchObject({ scopes: ['chat', 'content:read'], keyIds: [other.id] });
    expect(await t.turns.endLapsedKeyWork()).toEqual([]);
    await keys.revoke(other.id, null);
    const ended = { sessionId: t.sessionId, reason: 'key-revoked', turnId: begun!.turn.id, held: 0 };
    expect(await t.turns.endLapsedKeyWork()).toEqual([
      { ...ended, key: { id: other.id, name: 'Robot', userId: 'own_1' } },
    ]);
    expect(await t.turns.endLapsedKeyWork()).toEqual([]);
  });

  it('is its editor’s once it was edited', async () => {
    await using t = await createTurnSession();
    const keys = createApiKeyRepository(t.db, () => t.clock.time);
    const { id: keyId } = await keys.create({ ...key, hash: 'a', expiresAt: null });
    await t.start('Go');
    const { id } = await t.queue('A', { keyId });
    await keys.revoke(keyId, null);
    expect(await t.turns.endLapsedKeyWork()).toMatchObject([{ held: 1, turnId: null, reason: 'key-revoked' }]);
    expect(await t.turns.editQueued(id, [text('a')], owner)).toMatchObject({ keyId: null, heldReason: null });
  });
});

it('a turn that waited for approval belongs to its approver, and continues after its key ended', async () => {
  await using t = await createTurnSession();
  const keys = createApiKeyRepository(t.db, () => t.clock.time);
  const made = { userId: 'own_1', name: 'Robot', scopes: ['chat'] as const, prefix: 'tl_', expiresAt: null };
  const { id: keyId } = await keys.create({ ...made, hash: 'a' });
  const { turn } = await t.start('Go', { keyId });
  const parts = [call('c1')];
  const asking = await t.messages.append(t.sessionId, { role: 'assistant', turnId: turn.id, parts });
  const approvals = [{ partId: asking.parts[0]!.id, effect: null }];
  await t.turns.finish(turn.id, { status: 'waiting_approval', error: null, approvals });
  await keys.revoke(keyId, null);
  expect(await t.turns.endLapsedKeyWork()).toEqual([]);
  const decided = await t.turns.decide(
    t.sessionId,
    await decisionsOn(t.turns, t.sessionId, { toolCallId: 'c1', approved: true }),
    lease,
  );
  expect(decided.turn).toMatchObject({ status: 'running', keyIds: null });
  expect(await t.turns.endLapsedKeyWork()).toEqual([]);
});
