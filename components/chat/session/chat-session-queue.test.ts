import { describe, expect, vi } from 'vitest';
import { ApiError } from '#components/api/api-error';
import type { ChatFile } from '#components/api/chat-message';
import { connection } from '#components/api/connection';
import type { ChatSession } from '#components/chat/session/chat-session';
import { answer, isFollowing, it, texts, untilHeld, waiting } from '#tests/support/chat-test';
import type { FakeChatServer } from '#tests/support/fake-chat-server';

/** Holds back the answers, not the requests, of the first so many requests of a kind. */
const holdAnswers = (server: FakeChatServer, request: string, count: number) => {
  const held = Array.from({ length: count }, () => Promise.withResolvers<void>());
  let made = 0;
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    const response = await server.fetch(path, init);
    if (`${init?.method ?? 'GET'} ${path.split('?')[0] ?? ''}` === request) await held[made++]?.promise;
    return response;
  });
  return { held, answered: () => made };
};

describe('the queue of a ChatSession', () => {
  it('takes what is sent while a turn runs, then follows the next turn without a duplicate', async ({
    server,
    session,
    watch,
    begin,
    untilIdle,
  }) => {
    await watch();
    await begin('First');
    await session.send('Second', undefined);
    expect(waiting(session)).toEqual(['Second']);
    expect(texts(session)).not.toContain('Second');

    server.endTurn('One.');
    await vi.waitUntil(() => texts(session).includes('Second') && session.isRunning);
    expect(waiting(session)).toEqual([]);
    server.endTurn('Two.');
    await untilIdle();
    expect(texts(session)).toEqual(['First', 'One.', 'Second', 'Two.']);
  });

  describe('keeps the order in which messages were written', () => {
    it('also when the first of them is slow', async ({ session, begin, holdNext, sentTexts }) => {
      await begin('Start');
      const slow = await holdNext('POST /api/message/queue', () => session.send('a', undefined));
      const others = ['b', 'c'].map((text) => session.send(text, undefined));
      slow.release();
      await Promise.all([slow.sent, ...others]);
      expect(sentTexts()).toEqual(['Start', 'a', 'b', 'c']);
      expect(waiting(session)).toEqual(['a', 'b', 'c']);
    });

    it('also behind one that starts a turn', async ({ session, holdNext, sentTexts }) => {
      session.startEmpty();
      const slow = await holdNext('POST /api/chat', () => session.send('Start', undefined));
      const second = session.send('a', undefined);
      slow.release();
      await second;
      expect(sentTexts()).toEqual(['Start', 'a']);
    });

    it('also when the turn ends while one is on its way', async ({
      server,
      session,
      begin,
      holdNext,
      sentTexts,
      untilIdle,
    }) => {
      await begin('Start');
      const slow = await holdNext('POST /api/message/queue', () => session.send('a', undefined));
      server.endTurn('Done.');
      await untilIdle();
      const second = session.send('b', undefined);
      slow.release();
      await Promise.all([slow.sent, second]);
      expect(sentTexts()).toEqual(['Start', 'a', 'b']);
    });

    it('also when the one before is refused, which its sender gets back', async ({
      server,
      session,
      begin,
      sentTexts,
    }) => {
      await begin('Start');
      server.refusesNext = true;
      const refused = session.send('a', undefined);
      const second = session.send('b', undefined);
      await expect(refused).rejects.toThrow('Not now.');
      await second;
      expect(sentTexts()).toEqual(['Start', 'b']);
    });
  });

  it('can be changed: edit, remove, send first, clear', async ({ server, session, watch, begin }) => {
    await watch();
    await begin('Start');
    for (const text of ['a', 'b', 'c']) await session.send(text, undefined);
    const [a, b, c] = session.getState().queue.items;
    await session.queue.edit(a?.id ?? '', 'A');
    await session.queue.remove(b?.id ?? '');
    await session.sendQueued(c?.id ?? '');
    expect(waiting(session)).toEqual(['c', 'A']);
    expect(server.queue.map(({ text }) => text)).toEqual(['c', 'A']);
    await session.queue.clear();
    expect(waiting(session)).toEqual([]);
  });

  it('works without events too: what was done here is shown', async ({ session, begin }) => {
    await begin('Start');
    for (const text of ['a', 'b']) await session.send(text, undefined);
    const [a, b] = session.getState().queue.items;
    await session.queue.edit(a?.id ?? '', 'A');
    await session.sendQueued(b?.id ?? '');
    expect(waiting(session)).toEqual(['b', 'A']);
    await session.queue.remove(a?.id ?? '');
    expect(waiting(session)).toEqual(['b']);
  });

  it('is read anew when a message to be edited is gone', async ({ server, session, begin }) => {
    await begin('Start');
    await session.send('a', undefined);
    const [a] = session.getState().queue.items;
    server.queue = [];
    await expect(session.queue.edit(a?.id ?? '', 'A')).rejects.toThrow(ApiError);
    expect(waiting(session)).toEqual([]);
  });

  it('believes an event that came after a reading had begun', async ({ server, session, watch }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    session.startEmpty();
    const stale = session.queue;
    await watch();
    await vi.waitUntil(() => server.requests.includes('GET /api/message/queue'));
    server.queue = [{ id: 'que_9', text: 'old', files: [], createdAt: 0 }];
    vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
      const response = await server.fetch(path, init);
      await promise;
      return response;
    });
    const reading = stale.refresh();
    server.emit('queue:changed', { items: [{ id: 'que_10', text: 'new', files: [], createdAt: 0 }], held: false });
    await vi.waitUntil(() => waiting(session).includes('new'));
    resolve();
    await reading;
    expect(waiting(session)).toEqual(['new']);
  });

  it('keeps the order of what is done to one message, also when the first change is slow', async ({
    server,
    session,
    begin,
    holdNext,
  }) => {
    await begin('Start');
    await session.send('a', undefined);
    const [a] = session.getState().queue.items;
    const request = `PATCH /api/message/queue/${a?.id ?? ''}`;
    const slow = await holdNext(request, () => session.queue.edit(a?.id ?? '', 'older'));
    const second = session.queue.edit(a?.id ?? '', 'newer');
    const sending = session.sendQueued(a?.id ?? '');
    await untilHeld();
    expect(server.requests).not.toContain(`POST /api/message/queue/${a?.id ?? ''}/send`);
    slow.release();
    await Promise.all([slow.sent, second, sending]);
    expect(server.queue.map(({ text }) => text)).toEqual(['newer']);
    expect(waiting(session)).toEqual(['newer']);
  });

  it('loses nothing that is written while what waited before is being cleared', async ({
    server,
    session,
    begin,
    holdNext,
  }) => {
    await begin('Start');
    await session.send('a', undefined);
    const slow = await holdNext('DELETE /api/message/queue', () => session.queue.clear());
    const second = session.send('b', undefined);
    await untilHeld();
    slow.release();
    await Promise.all([slow.sent, second]);
    expect(server.queue.map(({ text }) => text)).toEqual(['b']);
    expect(waiting(session)).toEqual(['b']);
  });

  it('believes the newer of two readings, also when the older is there first', async ({ server, session }) => {
    server.queue = [{ id: 'que_9', text: 'gone by now', files: [], createdAt: 0 }];
    const { held, answered } = holdAnswers(server, 'GET /api/message/queue', 2);
    const older = session.queue.refresh();
    await vi.waitUntil(() => answered() === 1);
    server.queue = [];
    const newer = session.queue.refresh();
    await vi.waitUntil(() => answered() === 2);
    held[0]?.resolve();
    await older;
    held[1]?.resolve();
    await newer;
    expect(waiting(session)).toEqual([]);
  });

  it('shows no message whose turn was over before it was told that it waits', async ({
    server,
    session,
    watch,
    untilIdle,
  }) => {
    session.startEmpty();
    await watch();
    server.startTurn('From another window');
    const { held, answered } = holdAnswers(server, 'POST /api/chat', 1);
    await session.send('Mine', undefined);
    await vi.waitUntil(() => answered() === 1);
    server.endTurn('One.');
    server.endTurn('Two.');
    await vi.waitUntil(() => !server.isRunning);
    await untilHeld();
    held[0]?.resolve();
    await untilIdle();
    await vi.waitUntil(() => texts(session).includes('Two.'));
    expect(waiting(session)).toEqual([]);
  });

  it('takes a message that the server queued though nothing seemed to run', async ({ server, session, untilIdle }) => {
    session.startEmpty();
    server.startTurn('From another window');
    await session.send('Mine', undefined);
    await vi.waitUntil(() => waiting(session).includes('Mine'));
    expect(texts(session)).not.toContain('Mine');
    await vi.waitUntil(() => isFollowing(session));
    server.endTurn('One.');
    await vi.waitUntil(() => texts(session).includes('Mine'));
    server.endTurn('Two.');
    await untilIdle();
    expect(texts(session)).toEqual(['From another window', 'One.', 'Mine', 'Two.']);
  });

  it('is shown in place when the running turn takes it in', async ({ server, session, watch, begin, untilIdle }) => {
    await watch();
    await begin('First');
    server.say('Working.');
    await session.send('Faster', undefined);
    server.drain();
    server.endTurn('Done.');
    await untilIdle();
    await vi.waitUntil(() => waiting(session).length === 0);
    expect(answer(session)?.parts.map(({ type }) => type)).toEqual(['text', 'steering-message', 'text']);
    expect(texts(session)).toHaveLength(2);
  });

  it('gives a text back that could not be queued', async ({ server, session, begin }) => {
    await begin('Start');
    server.refusesNext = true;
    await expect(session.send('Not taken', undefined)).rejects.toThrow('Not now.');
    expect(waiting(session)).toEqual([]);
  });

  describe('of a message that was taken though its answer was lost', () => {
    const file = (name: string) => ({ type: 'file' as const, url: `/api/attachments/${name}`, mediaType: 'image/png' });

    /** Sends it; the connection is back by the end. */
    const lose = async (
      { server, session }: { server: FakeChatServer; session: ChatSession },
      text: string,
      files: ChatFile[] = [],
    ) => {
      server.lost.add('POST /api/message/queue');
      await expect(session.send(text, undefined, files)).rejects.toThrow(ApiError);
      await vi.waitUntil(() => connection.state === 'online');
    };

    it('takes it once when it is sent again, and again after that', async ({ server, session, begin }) => {
      await begin('Start');
      await lose({ server, session }, 'a', [file('1')]);
      await session.send('a', undefined, [file('1')]);
      expect(server.queue.map(({ text }) => text)).toEqual(['a']);
      expect(waiting(session)).toEqual(['a']);
      await session.send('a', undefined, [file('1')]);
      expect(server.queue.map(({ text }) => text)).toEqual(['a', 'a']);
    });

    it('takes other words or files', async ({ server, session, begin, sentTexts }) => {
      await begin('Start');
      await lose({ server, session }, 'a', [file('1')]);
      await session.send('a', undefined, [file('2')]);
      await lose({ server, session }, 'b');
      await session.send('b, and more', undefined);
      expect(sentTexts()).toEqual(['Start', 'a', 'a', 'b', 'b, and more']);
      expect(server.queue).toHaveLength(4);
    });

    it('takes it again after it was removed', async ({ server, session, begin }) => {
      await begin('Start');
      await lose({ server, session }, 'a');
      await session.queue.remove(session.getState().queue.items[0]?.id ?? '');
      await session.send('a', undefined);
      expect(server.queue.map(({ text }) => text)).toEqual(['a']);
    });

    it('takes it once also when its turn is over by then', async ({ server, session, begin, watch, untilIdle }) => {
      await watch();
      await begin('Start');
      await lose({ server, session }, 'a');
      server.endTurn('Started.');
      server.endTurn('Done.');
      await untilIdle();
      await vi.waitUntil(() => texts(session).includes('Done.'));
      await session.send('a', undefined);
      await vi.waitUntil(() => server.sent.length === 3);
      expect(server.isRunning).toBe(false);
      await vi.waitUntil(() => texts(session).length === 4);
      expect(texts(session)).toEqual(['Start', 'Started.', 'a', 'Done.']);
    });
  });
});
