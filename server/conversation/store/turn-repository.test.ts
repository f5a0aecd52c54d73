import { describe, expect } from 'vitest';
import { call, createTurnSession, lease, result, roomy, text, itWithTurns as it } from '#tests/support/turn-session';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createApiKeyRepository } from '#server/platform/auth/store/api-key-repository';
import { decisionsIn } from '#tests/support/decisions';
import type { TurnStore } from '#server/core/conversation/turn-store';
import type { Turn } from '#server/core/conversation/turns';
import { uncodedText } from '#server/core/message-data';
import { serverText } from '#server/core/messages/server-text';

describe('TurnRepository', () => {
  it('ends a turn once', async ({ t }) => {
    const { turn } = await t.start('Hi');
    t.clock.time = 1_200;
    expect(await t.turns.finish(turn.id, { status: 'failed', error: uncodedText('no\u0000provider') })).toBe(true);
    expect(await t.end(turn.id)).toBe(false);
    expect(await t.turns.find(turn.id)).toMatchObject({ status: 'failed', error: 'no\uFFFDprovider', endedAt: 1_200 });
    expect(await t.turns.running(t.sessionId)).toBeNull();
    expect(await t.turns.find('trn_none')).toBeNull();
  });

  it('keeps the reason of a failed turn as a code with parameters and as English text', async ({ t }) => {
    const { turn } = await t.start('Hi');
    const { text: error, ...errorMessage } = serverText('turn-stuck', { tools: 'edit_text', count: 3 });
    await t.turns.finish(turn.id, { status: 'failed', error: { ...errorMessage, text: error } });
    expect(await t.turns.find(turn.id)).toMatchObject({ error, errorMessage });
  });

  it('renews leases for their owner while the turns run', async ({ t }) => {
    const { turn } = await t.start('Hi');
    const other = await t.sessions.create({ ownerId: 'own_1' });
    const { turn: second } = await t.start('Hi', { sessionId: other.id });
    const both = [turn.id, second.id, 'trn_none'];
    const alive = { cancelRequested: false };
    t.clock.time = 1_900;
    expect(await t.turns.renew(both, lease)).toEqual(new Map([turn.id, second.id].map((id) => [id, alive])));
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

it('knows the sessions of an owner in which something runs or waits', async ({ t }) => {
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
  it('tells the turn and holds the queue', async ({ t }) => {
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

  it('holds what waits also when the turn has just ended', async ({ t }) => {
    const { turn } = await t.start('Hi');
    await t.queue('A');
    await t.end(turn.id);
    expect(await t.turns.requestCancel(t.sessionId)).toBeNull();
    expect((await t.turns.queue(t.sessionId)).held).toBe(true);
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
  });

  it('changes nothing without a running turn and queue', async ({ t }) => {
    expect(await t.turns.requestCancel(t.sessionId)).toBeNull();
    expect(await t.turns.requestCancel('ses_none')).toBeNull();
    expect((await t.turns.queue(t.sessionId)).held).toBe(false);
  });

  it('returns the state of the answer', async ({ t }) => {
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

  it('frees a session from a compaction whose process died, not from one that is only late', async ({ t }) => {
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

/** A session whose turn has called `toolCallIds` and waits for the user. */
async function asking(...toolCallIds: string[]) {
  const t = await createTurnSession();
  const { turn } = await t.start('Go', { modelId: 'a/b' });
  const { parts } = await t.messages.append(t.sessionId, {
    role: 'assistant',
    turnId: turn.id,
    parts: toolCallIds.map((id) => call(id)),
  });
  const ids = parts.map(({ id }) => id);
  t.clock.time = 1_500;
  await t.turns.finish(turn.id, { status: 'waiting_approval', error: null, approvals: ids.toReversed().map(asked) });
  return { ...t, turn, ids };
}
const asked = (partId: string) => ({ partId, effect: null });
const yes = (toolCallId: string) => ({ toolCallId, approved: true });
const no = (toolCallId: string, reason?: string) => ({ toolCallId, approved: false, reason });
const lease2 = { leaseOwner: 'server-2', leaseMs: 1_000 };

type Decide = Parameters<TurnStore['decide']>;

async function decide(
  { turns, turn, sessionId }: { readonly turns: TurnStore; readonly turn: Turn; readonly sessionId: string },
  wanted: Parameters<typeof decisionsIn>[1],
  by: Decide[2],
  decider?: Decide[3],
) {
  return turns.decide(sessionId, decisionsIn(await turns.approvals(turn.id), wanted), by, decider);
}

describe('ApprovalRepository', () => {
  it('requests approval for the stored calls, in order, and frees the session', async () => {
    await using t = await asking('a', 'b');
    const pending = await t.turns.pendingApprovals(t.sessionId);
    expect(pending.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b']);
    expect(pending[0]).toEqual({
      approvalId: `apr_${t.ids[0]!.slice(4)}_${'0'.repeat(32)}`,
      partId: t.ids[0],
      sessionId: t.sessionId,
      turnId: t.turn.id,
      toolCallId: 'a',
      toolName: 'get_page',
      input: { page: 'a' },
      status: 'pending',
      effect: null,
      reason: null,
      decidedAt: null,
    });
    expect(await t.turns.approvals(t.turn.id)).toEqual(pending);
    expect(await t.turns.find(t.turn.id)).toMatchObject({ status: 'waiting_approval', endedAt: 1_500 });
    expect(await t.turns.running(t.sessionId)).toBeNull();
    expect(await t.turns.expired()).toEqual([]);
  });

  it('asks for nothing when the turn had been ended already', async ({ t }) => {
    const { turn } = await t.start('Go');
    const { parts } = await t.messages.append(t.sessionId, { role: 'assistant', turnId: turn.id, parts: [call('a')] });
    await t.end(turn.id);
    const late = { status: 'waiting_approval', error: null, approvals: [asked(parts[0]!.id)] } as const;
    expect(await t.turns.finish(turn.id, late)).toBe(false);
    expect(await t.turns.pendingApprovals(t.sessionId)).toEqual([]);
  });

  it('runs the same turn again once all is decided', async () => {
    await using t = await asking('a', 'b');
    t.clock.time = 9_000;
    expect(await decide(t, [yes('a')], lease2)).toEqual({ turn: null, pending: 1 });
    expect(await t.turns.running(t.sessionId)).toBeNull();
    const { turn, pending } = await decide(t, [no('b', 'Not\u0000 this')], lease2);
    expect(pending).toBe(0);
    expect(turn).toEqual({ ...t.turn, leaseOwner: 'server-2', leaseExpiresAt: 10_000 });
    expect(await t.turns.running(t.sessionId)).toEqual(turn);
    expect(await t.turns.approvals(t.turn.id)).toMatchObject([
      { toolCallId: 'a', status: 'approved', reason: null, decidedAt: 9_000 },
      { toolCallId: 'b', status: 'denied', reason: 'Not\uFFFD this', decidedAt: 9_000 },
    ]);
  });

  it('asks again in the same turn, also for an id that the model had used before', async () => {
    await using t = await asking('a');
    await decide(t, [yes('a')], lease);
    await t.messages.append(t.sessionId, { role: 'tool', turnId: t.turn.id, parts: [result('a')] });
    const again = await t.messages.append(t.sessionId, { role: 'assistant', turnId: t.turn.id, parts: [call('a')] });
    const approvals = again.parts.map(({ id }) => asked(id));
    await t.turns.finish(t.turn.id, { status: 'waiting_approval', error: null, approvals });
    expect(await t.turns.pendingApprovals(t.sessionId)).toMatchObject(approvals);
    expect((await decide(t, [no('a')], lease)).turn).not.toBeNull();
    expect((await t.turns.approvals(t.turn.id)).map(({ status }) => status)).toEqual(['approved', 'denied']);
  });

  it('records all decisions or none', async () => {
    await using t = await asking('a', 'b');
    await expect(decide(t, [yes('a'), yes('x')], lease)).rejects.toThrow(NotFoundError);
    await expect(decide(t, [yes('a'), no('a')], lease)).rejects.toThrow(ConflictError);
    await expect(
      t.turns.decide('ses_none', decisionsIn(await t.turns.approvals(t.turn.id), [yes('a')]), lease),
    ).rejects.toThrow(NotFoundError);
    expect(await t.turns.pendingApprovals(t.sessionId)).toHaveLength(2);
    await decide(t, [yes('a')], lease);
    await expect(decide(t, [yes('b'), no('a')], lease)).rejects.toThrow(ConflictError);
    expect(await t.turns.pendingApprovals(t.sessionId)).toHaveLength(1);
  });
});

describe('decisions on a turn whose key has ended', () => {
  const key = { userId: 'own_1', name: 'Robot', scopes: ['chat'] as const, prefix: 'tl_', hash: 'a', expiresAt: 2_000 };
  const decider = { scopes: ['chat', 'content:write'], keyId: null } as const;

  async function askingWithKey() {
    const t = await createTurnSession();
    const { id: keyId } = await createApiKeyRepository(t.db, () => t.clock.time).create(key);
    const { turn } = await t.start('Go', { keyId });
    const { parts } = await t.messages.append(t.sessionId, {
      role: 'assistant',
      turnId: turn.id,
      parts: [call('a'), call('b')],
    });
    await t.turns.finish(turn.id, {
      status: 'waiting_approval',
      error: null,
      approvals: parts.map(({ id }) => asked(id)),
    });
    t.clock.time = 2_000;
    return { ...t, turn };
  }

  it('let it continue with no more than its approver may do', async () => {
    await using t = await askingWithKey();
    const { turn } = await decide(t, [yes('a'), no('b')], lease, decider);
    expect(turn).toMatchObject({ keyIds: null, cancelRequestedAt: null });
    expect(turn?.scopes.toSorted()).toEqual(['chat', 'content:draft', 'content:read', 'content:write']);
  });

  it('end it if nothing was approved', async () => {
    await using t = await askingWithKey();
    const { turn } = await decide(t, [no('a'), no('b')], lease, decider);
    expect(turn).toMatchObject({ keyIds: null, cancelRequestedAt: 2_000 });
  });
});
