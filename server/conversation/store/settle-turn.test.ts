import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { NewMessage } from '#server/core/conversation/messages';
import { CANCELLED_BY_USER, INPUT_CUT, INTERRUPTED_TOOL } from '#server/core/conversation/turns';
import type { NewPart, PartState } from '#server/core/conversation/parts';
import { messages } from '#server/platform/database/schema/sessions';
import { call, createTurnSession, lease, result, roomy, say, textOf } from '#tests/support/turn-session';

const text = (value: string, state: PartState = 'completed'): NewPart => ({
  type: 'text',
  content: { text: value },
  state,
});

/** A session whose server died in the middle of a turn that had stored `stored`; its lease has run out. */
async function diedAfter(...stored: NewMessage[]) {
  const t = await createTurnSession();
  const { turn } = await t.start('Go');
  for (const message of stored) await t.messages.append(t.sessionId, { ...message, turnId: turn.id });
  t.clock.time = 3_000;
  return { ...t, turnId: turn.id };
}

describe('settling a turn whose server died', () => {
  it('keeps the streamed text as interrupted', async () => {
    await using t = await diedAfter({ role: 'assistant', status: 'streaming', parts: [text('Hel', 'running')] });
    expect(await t.turns.settle(t.turnId)).toEqual({ settled: true });
    expect(await t.turns.find(t.turnId)).toMatchObject({ status: 'interrupted', endedAt: 3_000 });
    expect((await t.load())[1]).toMatchObject({ status: 'interrupted', parts: [{ state: 'completed' }] });
    expect(await t.turns.running(t.sessionId)).toBeNull();
  });

  it('answers every open call in a tool message right after it', async () => {
    await using t = await diedAfter({ role: 'assistant', parts: [call('a', 'running'), call('b', 'pending')] });
    await t.turns.settle(t.turnId);
    const [, assistant, tool, ...others] = await t.load();
    expect(others).toEqual([]);
    expect(assistant?.parts.map(({ state }) => state)).toEqual(['error', 'error']);
    expect(tool).toMatchObject({ role: 'tool', seq: 3, turnId: t.turnId, status: 'complete' });
    expect(tool?.parts.map(({ content, state }) => ({ content, state }))).toEqual(
      ['a', 'b'].map((toolCallId) => ({
        content: { toolCallId, toolName: 'get_page', output: { type: 'error-text', value: INTERRUPTED_TOOL } },
        state: 'error',
      })),
    );
  });

  it('keeps the input of a call that was being written, and says that the call did not run', async () => {
    const written = { toolCallId: 'a', toolName: 'create_content', input: '{"title":"Pri' };
    const part: NewPart = { type: 'tool-call', content: written, state: 'input-streaming' };
    await using t = await diedAfter({ role: 'assistant', status: 'streaming', parts: [part] });
    await t.turns.settle(t.turnId);
    const [, assistant, tool] = await t.load();
    expect(assistant).toMatchObject({ status: 'interrupted', parts: [{ state: 'error', content: written }] });
    expect(tool?.parts).toMatchObject([{ content: { toolCallId: 'a', output: { value: INPUT_CUT } } }]);
  });

  it('keeps the results with their calls when the session has continued since', async () => {
    await using t = await diedAfter({ role: 'assistant', parts: [call('a', 'running')] });
    await t.messages.append(t.sessionId, { role: 'user', parts: [text('imported')] });
    await t.messages.append(t.sessionId, { role: 'assistant', parts: [text('answer')] });
    await t.turns.settle(t.turnId);
    const all = await t.load();
    expect(all.map(({ role, seq }) => [role, seq])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['user', 4],
      ['assistant', 5],
    ]);
    expect((await t.messages.append(t.sessionId, { role: 'user', parts: [] })).seq).toBe(6);
  });

  it('finds them before messages that the user sent later', async () => {
    await using t = await diedAfter(
      { role: 'assistant', parts: [call('a', 'completed')] },
      { role: 'tool', parts: [result('a')] },
      say('And the footer'),
      { role: 'assistant', parts: [call('b', 'running')] },
    );
    await t.turns.settle(t.turnId);
    const all = await t.load();
    expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant', 'tool']);
    expect(all[5]?.parts).toMatchObject([{ content: { toolCallId: 'b', output: { value: INTERRUPTED_TOOL } } }]);
  });

  it('releases a compaction whose lease ran out, and only that', async () => {
    await using t = await diedAfter();
    t.clock.time = 2_500;
    await t.compactions.acquire(t.sessionId, lease);
    await t.turns.settle(t.turnId);
    expect(await t.sessions.get(t.sessionId)).toMatchObject({ currentlyCompacting: true, compactingSince: 2_500 });

    await using u = await diedAfter();
    u.clock.time = 1_500;
    await u.compactions.acquire(u.sessionId, lease);
    u.clock.time = 2_500;
    await u.turns.settle(u.turnId);
    expect(await u.sessions.get(u.sessionId)).toMatchObject({ currentlyCompacting: false, compactingSince: null });
  });

  it('happens once, and never to a turn that is alive', async () => {
    await using t = await diedAfter({ role: 'assistant', parts: [call('a', 'running')] });
    await t.turns.renew([t.turnId], lease);
    expect(await t.turns.settle(t.turnId)).toEqual({ settled: false });
    t.clock.time = 9_000;
    const outcomes = await Promise.all([t.turns.settle(t.turnId), t.turns.settle(t.turnId)]);
    expect(outcomes.filter(({ settled }) => settled)).toHaveLength(1);
    const tools = await t.db.read.select().from(messages).where(eq(messages.role, 'tool'));
    expect(tools).toHaveLength(1);
    expect(await t.turns.settle('trn_none')).toEqual({ settled: false });
  });
});

describe('settling a turn whose server died while the user stopped it', () => {
  async function cancelledAfter(...stored: NewMessage[]) {
    const t = await diedAfter(...stored);
    t.clock.time = 1_500;
    await t.queue('Later');
    await t.turns.requestCancel(t.sessionId);
    t.clock.time = 3_000;
    await t.turns.settle(t.turnId);
    return t;
  }
  const stopped = { role: 'assistant', status: 'interrupted', finishReason: 'cancelled' };

  it('ends it as cancelled and leaves its queue held', async () => {
    await using t = await cancelledAfter();
    expect(await t.turns.find(t.turnId)).toMatchObject({ status: 'cancelled', endedAt: 3_000 });
    expect((await t.turns.queue(t.sessionId)).held).toBe(true);
    expect(await t.turns.beginQueued(t.sessionId, roomy)).toBeNull();
    expect(textOf((await t.start('Now')).message.parts)).toBe('First: Later\n\nAlso: Now');
  });

  it('marks the answer that was streaming', async () => {
    await using t = await cancelledAfter({ role: 'assistant', status: 'streaming', parts: [text('Hel', 'running')] });
    const [, answer, ...others] = await t.load();
    expect(answer).toMatchObject({ ...stopped, parts: [{ content: { text: 'Hel' }, state: 'completed' }] });
    expect(others).toEqual([]);
  });

  it('adds an empty answer if none had begun', async () => {
    await using t = await cancelledAfter();
    const [user, answer] = await t.load();
    expect(answer).toMatchObject({ ...stopped, parts: [], turnId: t.turnId, parentId: user?.id });
  });

  it('adds one after the results of its tools, which tell started from unstarted calls', async () => {
    await using t = await cancelledAfter({ role: 'assistant', parts: [call('a', 'running'), call('b')] });
    const all = await t.load();
    expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(all[2]?.parts).toMatchObject([
      { content: { toolCallId: 'a', output: { value: INTERRUPTED_TOOL } } },
      { content: { toolCallId: 'b', output: { value: CANCELLED_BY_USER } } },
    ]);
    expect(all[3]).toMatchObject({ ...stopped, parts: [] });
  });

  it('leaves an answer that was complete', async () => {
    await using t = await cancelledAfter({ role: 'assistant', parts: [text('Done')] });
    const [, answer, ...others] = await t.load();
    expect(answer).toMatchObject({ status: 'complete', finishReason: null });
    expect(others).toEqual([]);
  });
});
