import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#server/core/errors';
import type { NewPart } from '#server/core/parts';
import { scopesOfRole } from '#server/core/principal';
import { createTurnSession, roomy, text } from '#tests/support/turn-session';

async function withWaiting(...texts: string[]) {
  const t = await createTurnSession();
  const { turn } = await t.start('Go');
  const ids: string[] = [];
  for (const value of texts) ids.push((await t.queue(value)).id);
  return { ...t, turn, ids };
}

describe('QueueRepository', () => {
  it('lists what waits in order', async () => {
    await using t = await withWaiting('A', 'B');
    const { items, held } = await t.turns.queue(t.sessionId);
    expect(held).toBe(false);
    expect(items[0]).toEqual({
      id: t.ids[0],
      sessionId: t.sessionId,
      parts: [text('A')],
      modelId: null,
      approvalPolicy: 'ask',
      scopes: scopesOfRole.admin,
      createdAt: 1_000,
    });
    expect(await t.waiting()).toEqual(['A', 'B']);
  });

  it('edits and removes', async () => {
    await using t = await withWaiting('A', 'B', 'C');
    const [a, b] = t.ids as [string, string];
    const edited = await t.turns.editQueued(a, [text('a', 1), text('b', 2)], scopesOfRole.admin);
    expect(edited).toMatchObject({ id: a, parts: [text('a', 1), text('b', 2)] });
    expect(await t.turns.removeQueued(b)).toMatchObject({ id: b, parts: [text('B')] });
    expect(await t.waiting()).toEqual(['a\nb', 'C']);
  });

  it('keeps the files of a message whose text is edited, unless others are named', async () => {
    await using t = await withWaiting();
    const file = (name: string): NewPart => ({
      type: 'file',
      content: { mediaType: 'image/png', filename: name, url: `@blob:${name}` },
      tokens: 9,
    });
    const { id } = await t.queue({ role: 'user', parts: [text('A', 1), file('one'), file('two')] });
    expect(await t.turns.editQueued(id, [text('a', 1)], scopesOfRole.admin)).toMatchObject({
      parts: [text('a', 1), file('one'), file('two')],
    });
    expect((await t.turns.editQueued(id, [text('b', 1), file('three')], scopesOfRole.admin)).parts).toEqual([
      text('b', 1),
      file('three'),
    ]);
    expect(await t.turns.queued(id)).toMatchObject({ parts: [text('b', 1), file('three')] });
    await expect(t.turns.queued('que_none')).rejects.toThrow(NotFoundError);
  });

  it('puts one in front, again and again, and new ones behind', async () => {
    await using t = await withWaiting('A', 'B', 'C');
    const [a, b, c] = t.ids as [string, string, string];
    expect(await t.turns.sendNext(c)).toMatchObject({ id: c });
    await t.turns.sendNext(b);
    expect(await t.waiting()).toEqual(['B', 'C', 'A']);
    await t.turns.sendNext(a);
    const outcome = await t.turns.begin(t.request('D'));
    expect(outcome).toMatchObject({ kind: 'queued', position: 4 });
    expect(await t.waiting()).toEqual(['A', 'B', 'C', 'D']);
  });

  it('keeps the order of rows from before there were ranks', async () => {
    await using t = await withWaiting('A', 'B');
    await t.db.write((tx) => tx.run('update queued_messages set rank = 0'));
    await t.queue('C');
    expect(await t.waiting()).toEqual(['A', 'B', 'C']);
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

  it('finds no message that was sent or removed', async () => {
    await using t = await withWaiting('A');
    const [id] = t.ids as [string];
    await t.end(t.turn.id);
    await t.turns.beginQueued(t.sessionId, roomy);
    await expect(t.turns.editQueued(id, [text('a')], scopesOfRole.admin)).rejects.toThrow(NotFoundError);
    await expect(t.turns.removeQueued(id)).rejects.toThrow(NotFoundError);
    await expect(t.turns.sendNext(id)).rejects.toThrow(NotFoundError);
  });
});
