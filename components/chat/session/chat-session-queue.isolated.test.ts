import { describe, expect, vi } from 'vitest';
import { api } from '#components/api/api-client.ts';
import { isFollowing, it, texts, waiting } from '#tests/support/chat-test';
import { type SessionServer, untilHeld } from '#tests/support/session-server';

/** Holds back the answers, not the requests, of the first so many requests of a kind. */
const holdAnswers = (server: SessionServer, request: string, count: number) => {
  const held = Array.from({ length: count }, () => Promise.withResolvers<void>());
  let made = 0;
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const response = await server.fetch(path, init);
    if (`${init?.method ?? 'GET'} ${path.split('?')[0] ?? ''}` === request) await held[made++]?.promise;
    return response;
  });
  return { held, answered: () => made };
};

const said = (text: string) => ({ role: 'user' as const, parts: [{ type: 'text' as const, text }] });

describe('the queue of a ChatSession', () => {
  describe('keeps the order in which messages were written', () => {
    it('when the turn ends during a request', async ({ server, session, begin, holdNext, sentTexts, untilIdle }) => {
      await begin('Start');
      const slow = await holdNext('POST /api/message/queue', () => session.outbox.send('a', undefined));
      server.endTurn('Done.');
      await untilIdle();
      const second = session.outbox.send('b', undefined);
      slow.release();
      await Promise.all([slow.sent, second]);
      expect(sentTexts()).toEqual(['Start', 'a', 'b']);
    });

    it('when the message before is refused and returned to its sender', async ({
      server,
      session,
      begin,
      sentTexts,
    }) => {
      await begin('Start');
      server.refusesNext = 503;
      const refused = session.outbox.send('a', undefined);
      const second = session.outbox.send('b', undefined);
      await expect(refused).rejects.toThrow('Not now.');
      await second;
      expect(sentTexts()).toEqual(['Start', 'b']);
    });
  });

  it('reports a change only when the queue shows it', async ({ server, session, begin, watch }) => {
    await watch();
    await begin('Start');
    await session.outbox.send('a', undefined);
    await vi.waitUntil(() => waiting(session).length === 1);
    const sendDelayedEvents = server.delayEvents();
    let isDone = false;
    const removed = session
      .changeQueue(() => api.queue.remove(session.getState().queue.items[0]?.id ?? ''))
      .finally(() => (isDone = true));
    await vi.waitUntil(async () => (await server.queue()).length === 0);
    await untilHeld();
    expect(isDone).toBe(false);
    sendDelayedEvents();
    await removed;
    await expect.poll(() => waiting(session)).toEqual([]);
  });

  it('keeps the order of changes to one message if the first is slow', async ({ server, session, begin, holdNext }) => {
    await begin('Start');
    await session.outbox.send('a', undefined);
    await vi.waitUntil(() => waiting(session).length === 1);
    const [a] = session.getState().queue.items;
    const request = `PATCH /api/message/queue/${a?.id ?? ''}`;
    const slow = await holdNext(request, () => session.changeQueue(() => api.queue.edit(a?.id ?? '', said('older'))));
    const second = session.changeQueue(() => api.queue.edit(a?.id ?? '', said('newer')));
    const sending = session.changeQueue(() => api.queue.send(a?.id ?? ''));
    await untilHeld();
    expect(server.requests).not.toContain(`POST /api/message/queue/${a?.id ?? ''}/send`);
    slow.release();
    await Promise.all([slow.sent, second, sending]);
    expect(await server.queue()).toEqual(['newer']);
    await expect.poll(() => waiting(session)).toEqual(['newer']);
  });

  it('loses no message that is written while the queue is cleared', async ({ server, session, begin, holdNext }) => {
    await begin('Start');
    await session.outbox.send('a', undefined);
    const slow = await holdNext('DELETE /api/message/queue', () =>
      session.changeQueue(() => api.queue.clear(session.id)),
    );
    const second = session.outbox.send('b', undefined);
    await untilHeld();
    slow.release();
    await Promise.all([slow.sent, second]);
    expect(await server.queue()).toEqual(['b']);
    await expect.poll(() => waiting(session)).toEqual(['b']);
  });

  it('shows no queued message whose turn ended before its report', async ({ server, session, watch, untilIdle }) => {
    session.startEmpty();
    await watch();
    server.startTurn('From another window');
    const { held, answered } = holdAnswers(server, 'POST /api/chat', 1);
    await session.outbox.send('Mine', undefined);
    await vi.waitUntil(() => answered() === 1);
    server.endTurn('One.');
    server.endTurn('Two.');
    await server.done();
    held[0]?.resolve();
    await untilIdle();
    await vi.waitUntil(() => texts(session).includes('Two.'));
    await expect.poll(() => waiting(session)).toEqual([]);
  });

  it('shows a message that the server queued with no turn known', async ({ server, session, watch, untilIdle }) => {
    session.startEmpty();
    server.startTurn('From another window');
    await session.outbox.send('Mine', undefined);
    await watch();
    await vi.waitUntil(() => waiting(session).includes('Mine') && isFollowing(session));
    expect(texts(session)).not.toContain('Mine');
    server.endTurn('One.');
    await vi.waitUntil(() => texts(session).includes('Mine'));
    server.endTurn('Two.');
    await untilIdle();
    await expect.poll(() => texts(session)).toEqual(['From another window', 'One.', 'Mine', 'Two.']);
  });
});
