import fc from 'fast-check';
import { eq } from 'drizzle-orm';
import { describe, expect } from 'vitest';
import { NotFoundError, TurnLostError } from '#server/core/errors';
import type { NewMessage } from '#server/core/conversation/messages';
import type { Database } from '#server/platform/database/database';
import { createMessageRepository, type MessageRepository } from '#server/conversation/store/message-repository';
import { messageParts, messages } from '#server/platform/database/schema/sessions';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import { CorruptRowError } from '#server/platform/database/json-column';
import { anyNewPart } from '#tests/support/part-arbitraries';
import { itWithDatabase } from '#tests/support/test-database';
import { createTurnSession } from '#tests/support/turn-session';

const say = (text: string): NewMessage => ({ role: 'user', parts: [{ type: 'text', content: { text } }] });

async function newSession(db: Database): Promise<string> {
  return (await createSessionRepository(db, () => 1).create({ ownerId: 'own_1' })).id;
}

const it = itWithDatabase.extend<{ repository: MessageRepository; sessionId: string }>({
  repository: ({ db }, give) => give(createMessageRepository(db)),
  sessionId: async ({ db }, give) => give(await newSession(db)),
});

async function legacyMessage(db: Database, sessionId: string, id: string, seq: number, content: string) {
  const row = { id, sessionId, seq, role: 'tool', status: 'complete', content, createdAt: 7 } as const;
  await db.write(async (tx) => tx.insert(messages).values(row));
}

const legacyResult = JSON.stringify([{ type: 'tool-result', toolCallId: 'c', toolName: 'get', result: 'Home' }]);

describe('MessageRepository', () => {
  it('returns messages as they were stored, with any content', async ({ repository, sessionId }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyNewPart, { maxLength: 5 }), async (parts) => {
        const stored = await repository.append(sessionId, { role: 'assistant', parts });
        expect(await repository.find(stored.id)).toEqual(stored);
        expect(stored.parts.map(({ type, content, state, tokens }) => ({ type, content, state, tokens }))).toEqual(
          parts,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('appends in order from concurrent callers and marks the session as used', async ({ db }) => {
    const repository = createMessageRepository(db, () => 50);
    const sessionId = await newSession(db);
    const stored = await Promise.all(Array.from({ length: 30 }, (_, i) => repository.append(sessionId, say(`${i}`))));
    expect(stored.map(({ seq }) => seq).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect(await createSessionRepository(db).get(sessionId)).toMatchObject({ updatedAt: 50 });
  });

  it('stores a message of more parts than one statement takes', async ({ repository, sessionId }) => {
    const parts = Array.from({ length: 5_000 }, (_, n) => ({ type: 'text', content: { text: `${n}` } }) as const);
    const stored = await repository.append(sessionId, { role: 'assistant', parts });
    expect((await repository.find(stored.id))?.parts).toHaveLength(5_000);
  });

  it('refuses a session that does not exist', async ({ db }) => {
    await expect(createMessageRepository(db).append('ses_none', say('Hi'))).rejects.toThrow(NotFoundError);
    expect(await db.read.select().from(messages)).toEqual([]);
  });

  it('adds parts after each other and changes them', async ({ repository, sessionId }) => {
    const { id } = await repository.append(sessionId, { role: 'assistant', status: 'streaming', parts: [] });
    const first = await repository.addPart(id, { type: 'text', content: { text: 'Hel' }, state: 'running' });
    const second = await repository.addPart(id, { type: 'step-start', content: {} });
    await repository.updatePart(first.id, { content: { text: 'Hello' }, state: 'completed', tokens: 2 });
    await repository.updatePart(first.id, {});
    const usage = { inputTokens: 10, outputTokens: 2, cost: 0.5 };
    await repository.updateMessage(id, { status: 'complete', finishReason: 'stop', usage });

    expect(await repository.find(id)).toMatchObject({ status: 'complete', finishReason: 'stop', usage, error: null });
    expect((await repository.find(id))?.parts).toEqual([
      { ...first, order: 0, content: { text: 'Hello' }, state: 'completed', tokens: 2 },
      { ...second, order: 1 },
    ]);
    // Null empties a column, what is not given stays.
    await repository.updateMessage(id, { finishReason: null, error: 'Out of reach', usage: null });
    const emptied = { status: 'complete', finishReason: null, error: 'Out of reach', usage: null };
    expect(await repository.find(id)).toMatchObject(emptied);
    await expect(repository.addPart('msg_none', { type: 'step-start', content: {} })).rejects.toThrow(NotFoundError);
    await expect(repository.updatePart('prt_none', { tokens: 1 })).rejects.toThrow(NotFoundError);
    await expect(repository.updateMessage('msg_none', { error: 'x' })).rejects.toThrow(NotFoundError);
  });

  it('writes ahead of others what a model cannot be asked before', async ({ repository, sessionId }) => {
    const { parts } = await repository.append(sessionId, say('Hi'));
    const told: string[] = [];
    const others = Array.from({ length: 40 }, (_, n) => repository.append(sessionId, say(`${n}`)));
    const all = others.map((other, n) => other.then(() => told.push(`${n}`)));
    const changes = { content: { text: 'Hello' } };
    await Promise.all([...all, repository.updatePart(parts[0]!.id, changes, 'ahead').then(() => told.push('part'))]);
    expect(told[0]).toBe('part');
    const appended = repository.append(sessionId, say('in turn')).then(() => told.push('in turn'));
    await Promise.all([appended, repository.append(sessionId, say('now'), 'ahead').then(() => told.push('now'))]);
    expect(told.slice(-2)).toEqual(['now', 'in turn']);
  });

  it('names a broken row instead of skipping it', async ({ db, repository, sessionId }) => {
    const message = await repository.append(sessionId, say('Hi'));
    const partId = message.parts[0]!.id;
    await db.write(async (tx) => tx.update(messageParts).set({ content: '{}' }).where(eq(messageParts.id, partId)));
    await expect(repository.loadView(sessionId)).rejects.toThrow(CorruptRowError);
    await expect(repository.loadView(sessionId)).rejects.toThrow(partId);
    await db.write(async (tx) => tx.update(messages).set({ usage: 'oops' }));
    await expect(repository.find(message.id)).rejects.toThrow(`"${message.id}" of messages`);
  });
});

describe('a message from before parts existed', () => {
  it('is read from its content, with ids that stay the same', async ({ db, repository, sessionId }) => {
    await legacyMessage(db, sessionId, 'msg_old', 1, legacyResult);
    const message = await repository.find('msg_old');
    expect(message?.parts).toMatchObject([{ id: 'msg_old.0', type: 'tool-result', createdAt: 7, order: 0 }]);
    expect(await repository.find('msg_old')).toEqual(message);
  });

  it('keeps its content when a part is added', async ({ db, repository, sessionId }) => {
    await legacyMessage(db, sessionId, 'msg_old', 1, legacyResult);
    const before = (await repository.find('msg_old'))!.parts;
    const added = await repository.addPart('msg_old', { type: 'text', content: { text: 'new' } });
    expect((await repository.find('msg_old'))?.parts).toEqual([...before, { ...added, order: 1 }]);
  });

  it('refuses every write of a turn that another process has ended', async () => {
    await using t = await createTurnSession();
    const { messages: repository, turns, request, sessionId, clock } = t;
    const outcome = await turns.begin(request('Hi'));
    if (outcome.kind !== 'started') throw new Error('no turn');
    const writes = repository.forTurn(outcome.turn);
    const answer = await writes.append(sessionId, { role: 'assistant', parts: [], turnId: outcome.turn.id });
    const part = await writes.addPart(answer.id, { type: 'text', content: { text: 'Half' } });
    clock.time += 10_000;
    await turns.settle(outcome.turn.id);
    const before = (await repository.list(sessionId)).items;

    await expect(writes.append(sessionId, say('More'))).rejects.toThrow(TurnLostError);
    await expect(writes.addPart(answer.id, { type: 'text', content: { text: 'More' } })).rejects.toThrow(TurnLostError);
    await expect(writes.updatePart(part.id, { content: { text: 'More' } })).rejects.toThrow(TurnLostError);
    await expect(writes.updateMessage(answer.id, { status: 'complete' })).rejects.toThrow(TurnLostError);
    const others = repository.forTurn({ id: outcome.turn.id, leaseOwner: 'server-2' });
    await expect(others.append(sessionId, say('More'))).rejects.toThrow(TurnLostError);
    expect((await repository.list(sessionId)).items).toEqual(before);
  });
});
