import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { NewMessage } from '#server/core/messages';
import type { NewPart, PartState } from '#server/core/parts';
import { createCompactionRepository } from '#server/store/compaction-repository';
import { createMessageRepository } from '#server/store/message-repository';
import { messages } from '#server/store/schema';
import { createSessionRepository } from '#server/store/session-repository';
import { INTERRUPTED_TOOL } from '#server/store/settle-turn';
import { createTurnRepository } from '#server/store/turn-repository';
import { createTestDatabase } from '#tests/support/test-database';

const lease = { leaseOwner: 'server-1', leaseMs: 1_000 };
const text = (value: string, state: PartState = 'completed'): NewPart => ({
  type: 'text',
  content: { text: value },
  state,
});
const call = (toolCallId: string, state: PartState): NewPart => ({
  type: 'tool-call',
  content: { toolCallId, toolName: 'get_page', input: {} },
  state,
});
const result = (toolCallId: string): NewPart => ({
  type: 'tool-result',
  content: { toolCallId, toolName: 'get_page', output: { type: 'text', value: 'Home' } },
});

/** A session whose server died in the middle of a turn that had stored `stored`; its lease has run out. */
async function diedAfter(...stored: NewMessage[]) {
  const db = await createTestDatabase();
  const clock = { time: 1_000 };
  const now = () => clock.time;
  const sessions = createSessionRepository(db, now);
  const { id: sessionId } = await sessions.create({ ownerId: 'own_1' });
  const turns = createTurnRepository(db, now);
  const repository = createMessageRepository(db, now);
  const begun = await turns.begin({
    sessionId,
    message: { role: 'user', parts: [text('Go')] },
    modelId: null,
    clientRequestId: null,
    ...lease,
  });
  if (begun.kind !== 'started') throw new Error(begun.kind);
  const turnId = begun.turn.id;
  for (const message of stored) await repository.append(sessionId, { ...message, turnId });
  clock.time = 3_000;
  return {
    db,
    clock,
    sessionId,
    sessions,
    turns,
    turnId,
    repository,
    compactions: createCompactionRepository(db, now),
    load: async () => (await repository.loadView(sessionId)).messages,
    [Symbol.asyncDispose]: () => db.close(),
  };
}

describe('settling a turn whose server died', () => {
  it('keeps the streamed text as interrupted', async () => {
    await using t = await diedAfter({ role: 'assistant', status: 'streaming', parts: [text('Hel', 'running')] });
    expect(await t.turns.settle(t.turnId)).toEqual({ settled: true });
    expect(await t.turns.find(t.turnId)).toMatchObject({ status: 'interrupted', endedAt: 3_000 });
    expect((await t.load())[1]).toMatchObject({ status: 'interrupted', parts: [{ state: 'completed' }] });
    expect(await t.turns.running(t.sessionId)).toBeNull();
  });

  it('closes an answer that had not begun', async () => {
    await using t = await diedAfter({ role: 'assistant', status: 'streaming', parts: [] });
    await t.turns.settle(t.turnId);
    expect((await t.load())[1]).toMatchObject({ status: 'interrupted', parts: [] });
  });

  it('answers every open call in a tool message right behind', async () => {
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

  it('adds only the results that are missing', async () => {
    await using t = await diedAfter(
      { role: 'assistant', parts: [call('a', 'completed'), call('b', 'running')] },
      { role: 'tool', parts: [result('a')] },
    );
    await t.turns.settle(t.turnId);
    const [, assistant, tool, ...others] = await t.load();
    expect(others).toEqual([]);
    expect(assistant?.parts.map(({ state }) => state)).toEqual(['completed', 'error']);
    expect(tool?.parts).toMatchObject([
      { order: 0, content: { toolCallId: 'a', output: { value: 'Home' } } },
      { order: 1, content: { toolCallId: 'b', output: { value: INTERRUPTED_TOOL } } },
    ]);
  });

  it('adds nothing when every call has its result', async () => {
    await using t = await diedAfter(
      { role: 'assistant', parts: [call('a', 'completed')] },
      { role: 'tool', parts: [result('a')] },
    );
    const before = await t.load();
    await t.turns.settle(t.turnId);
    expect(await t.load()).toEqual(before);
  });

  it('keeps the results beside their calls when the session has gone on since', async () => {
    await using t = await diedAfter({ role: 'assistant', parts: [call('a', 'running')] });
    await t.repository.appendMany(t.sessionId, [
      { role: 'user', parts: [text('imported')] },
      { role: 'assistant', parts: [text('answer')] },
    ]);
    await t.turns.settle(t.turnId);
    const all = await t.load();
    expect(all.map(({ role, seq }) => [role, seq])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['user', 4],
      ['assistant', 5],
    ]);
    expect((await t.repository.append(t.sessionId, { role: 'user', parts: [] })).seq).toBe(6);
  });

  it('lets go of a compaction whose lease ran out, and only of that', async () => {
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
    await t.turns.renew(t.turnId, 'server-1', 1_000);
    expect(await t.turns.settle(t.turnId)).toEqual({ settled: false });
    t.clock.time = 9_000;
    const outcomes = await Promise.all([t.turns.settle(t.turnId), t.turns.settle(t.turnId)]);
    expect(outcomes.filter(({ settled }) => settled)).toHaveLength(1);
    const tools = await t.db.read.select().from(messages).where(eq(messages.role, 'tool'));
    expect(tools).toHaveLength(1);
    expect(await t.turns.settle('trn_none')).toEqual({ settled: false });
  });
});
