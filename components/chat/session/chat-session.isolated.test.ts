import { describe, expect, onTestFinished, vi } from 'vitest';
import { connection } from '#components/api/connection.ts';
import { draftAt } from '#components/chat/session/drafts.ts';
import { isFollowing, it as test, texts, waiting } from '#tests/support/chat-test';
import { untilHeld } from '#tests/support/session-server';

/** Begins a turn, breaks its stream, and sends a message until the returned promise is resolved. */
const it = test.extend('cutOff', ({ server, session, begin }) =>
  async (written: string) => {
    const health = Promise.withResolvers<void>();
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
      if (url === '/api/health') return health.promise.then(() => new Response());
      return connection.state === 'offline'
        ? Promise.reject(new TypeError('Failed to fetch'))
        : server.fetch(url, init);
    });
    await begin('Hello');
    server.breakStreams();
    await vi.waitUntil(() => connection.state === 'offline' && !session.getState().isReading);
    await session.outbox.send(written, undefined);
    await vi.waitUntil(() => session.getState().failedSends.length === 1);
    return health;
  });

describe('ChatSession', () => {
  it('does not reload what it has streamed', async ({ server, session, settled, watch, begin, untilIdle }) => {
    session.startEmpty();
    await watch();
    for (const text of ['Hello', 'And now?']) {
      await begin(text);
      settled.mockClear();
      server.endTurn('Good day.');
      await untilIdle();
      await vi.waitUntil(() => settled.mock.calls.length > 0);
    }
    await expect.poll(() => texts(session)).toEqual(['Hello', 'Good day.', 'And now?', 'Good day.']);
    expect(server.requests.filter((request) => request.endsWith('/messages'))).toEqual([]);
  });

  it('is not loaded after it was deleted when the connection returns', async ({ server, session, watch }) => {
    await watch();
    session.close();
    const before = server.requests.length;
    connection.reportLost();
    await vi.waitUntil(() => connection.state === 'online');
    expect(server.requests.slice(before)).toEqual(['GET /api/health']);
  });

  it('reports only a changed view during a turn', async ({
    server,
    session,
    settled,
    viewChanged,
    watch,
    begin,
    untilIdle,
  }) => {
    await watch();
    await begin('Hello');
    await untilHeld();
    settled.mockClear();
    const data = { outputsPruned: 3, tokensSaved: 20_000, prunedTools: [], compactionId: 'cmp_1' };
    server.services.events.emit(session.id, 'prune:complete', data);
    await vi.waitUntil(() => viewChanged.mock.calls.length > 0);
    expect(settled).not.toHaveBeenCalled();
    server.endTurn('Good day.');
    await untilIdle();
    expect(settled).toHaveBeenCalled();
    expect(viewChanged.mock.calls).toEqual([[session.id, 'pruned']]);
  });

  describe('in a second tab', () => {
    it('shows a turn between reading the transcript and following events', async ({ server, session, watch }) => {
      await watch();
      server.startTurn('From elsewhere');
      server.endTurn('Done.');
      await watch();
      await vi.waitUntil(() => texts(session).includes('Done.'));
    });

    it('shows changes made while no events arrived', async ({ server, session, watch }) => {
      await watch();
      server.dropListeners();
      server.startTurn('Meanwhile');
      server.endTurn('Done.');
      await server.done();
      server.startTurn('Next');
      server.startTurn('Waiting');
      await vi.waitUntil(() => texts(session).includes('Done.'));
      await vi.waitUntil(() => waiting(session).includes('Waiting'));
    });

    it('keeps the objects of unchanged messages', async ({ server, session, watch }) => {
      server.startTurn('Old');
      server.endTurn('Answer.');
      await server.done();
      await watch();
      const before = [...session.chat.messages];
      await watch();
      server.startTurn('New');
      await vi.waitUntil(() => texts(session).includes('New'));
      expect(session.chat.messages[0]).toBe(before[0]);
      expect(session.chat.messages[1]).toBe(before[1]);
    });
  });

  it('shows the whole answer when its turn ends between loading and following', async ({ server, session, watch }) => {
    server.startTurn('Before the reload');
    server.endBeforeFollowing('The whole answer.');
    await watch();
    await vi.waitUntil(() => texts(session).includes('The whole answer.'));
    await expect.poll(() => texts(session)).toEqual(['Before the reload', 'The whole answer.']);
  });

  it('shows the answer to a message whose turn ended before it was followed', async ({ server, session, watch }) => {
    await server.holdQueue('Held');
    await watch();
    await vi.waitUntil(() => waiting(session).length === 1);
    server.endBeforeFollowing('Both done.');
    await session.outbox.send('New', undefined);
    await vi.waitUntil(() => texts(session).includes('Both done.'));
    await expect.poll(() => texts(session)).toEqual(['Before', '', 'First: Held\n\nAlso: New', 'Both done.']);
  });

  it.for([0, 1, 2, 5])(
    'sends the second message behind the first, also %d ticks after it',
    async (ticks, { server, session, sentTexts }) => {
      session.startEmpty();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.gates.set('POST /api/chat', () => promise);
      const first = session.outbox.send('First', undefined);
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      const second = session.outbox.send('Second', undefined);
      await untilHeld();
      await untilHeld();
      expect(server.requests.filter((request) => request.startsWith('POST'))).toEqual(['POST /api/chat']);
      resolve();
      await Promise.all([first, second]);
      expect(sentTexts()).toEqual(['First', 'Second']);
    },
  );

  it('sends messages written offline after the turn, before later ones', async ({
    server,
    session,
    cutOff,
    sentTexts,
    untilIdle,
  }) => {
    const health = await cutOff('Offline');
    health.resolve();
    await vi.waitUntil(() => isFollowing(session) && session.getState().failedSends.length === 0);
    await session.outbox.send('After it', undefined);
    expect(sentTexts()).toEqual(['Hello', 'Offline', 'After it']);
    expect(await server.isRunning()).toBe(true);
    server.endTurn('Good day.');
    await vi.waitUntil(() => texts(session).length === 4 && isFollowing(session));
    server.endTurn('Both.');
    await untilIdle();
    await expect
      .poll(() => texts(session))
      .toEqual(['Hello', 'Good day.', 'First: Offline\n\nAlso: After it', 'Both.']);
  });

  it('reconnects to an answer that was silent once events arrive again', async ({
    server,
    session,
    watch,
    untilIdle,
  }) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    session.startEmpty();
    await watch();
    await session.outbox.send('Hello', undefined);
    await vi.waitUntil(() => isFollowing(session));
    server.silenceStreams();
    const streams = () => server.requests.filter((request) => request === `GET /api/chat/${session.id}/stream`).length;
    for (const [silence, expected] of [
      [15_000, 0],
      [10_000, 1],
    ] as const) {
      vi.setSystemTime(Date.now() + silence);
      server.dropListeners();
      await vi.waitUntil(() => server.listenerCount > 0);
      await vi.waitUntil(() => streams() === expected);
    }
    server.endTurn('Good day.');
    await untilIdle();
    await vi.waitUntil(() => texts(session).includes('Good day.') && connection.state === 'online');
    await expect.poll(() => texts(session)).toEqual(['Hello', 'Good day.']);
  });

  it('keeps a message that is refused twice in place with its files', async ({ server, session, watch, untilIdle }) => {
    session.startEmpty();
    server.refusesNext = 503;
    const file = { type: 'file' as const, url: '/api/attachments/att_1', mediaType: 'image/png' };
    await session.outbox.send('Look', undefined, [file]);
    await vi.waitUntil(() => session.getState().failedSends.length === 1);
    await watch();
    server.startTurn('Elsewhere');
    await vi.waitUntil(() => session.isRunning);
    server.refusesNext = 503;
    const [failed] = session.getState().failedSends;
    await session.outbox.resend(failed?.message.id ?? '');
    server.endTurn('Done.');
    await untilIdle();
    await vi.waitUntil(() => texts(session).at(-1) === 'Look');
    expect(failed?.message.parts).toEqual([{ type: 'text', text: 'Look' }, file]);
    expect(session.getState().failedSends).toEqual([failed]);
    await expect.poll(() => texts(session)).toEqual(['Elsewhere', 'Done.', 'Look']);
    expect(draftAt(session.id)).toBe('');
  });

  it('repeats a request without response once a second while the server is reachable', async ({ server, session }) => {
    let attempts = 0;
    vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
      if (url !== '/api/chat') return server.fetch(url, init);
      attempts += 1;
      return Promise.reject(new TypeError('Failed to fetch'));
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    session.startEmpty();
    await session.outbox.send('Hello', undefined);
    // Whether it was lost just before is another test's business.
    await vi.advanceTimersByTimeAsync(1_100);
    const before = attempts;
    expect(before).toBeGreaterThan(1);
    await vi.advanceTimersByTimeAsync(800);
    expect(attempts - before).toBeLessThanOrEqual(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(attempts).toBeGreaterThan(before);
    vi.stubGlobal('fetch', server.fetch);
    await vi.advanceTimersByTimeAsync(1_100);
    await expect.poll(() => texts(session)).toContain('Hello');
    await vi.waitUntil(() => server.isRunning());
  });

  it('keeps a refused message and sends it again with the same idempotency key', async ({ server, session }) => {
    session.startEmpty();
    server.refusesNext = 503;
    await session.outbox.send('Keep me', undefined);
    await vi.waitUntil(() => session.getState().failedSends.length === 1);
    const [failed] = session.getState().failedSends;
    expect(failed?.reason).toBe('Not now.');
    await expect.poll(() => texts(session)).toEqual(['Keep me']);

    const sending = session.outbox.resend(failed?.message.id ?? '');
    await vi.waitUntil(() => isFollowing(session));
    server.endTurn('Thank you.');
    await sending;
    expect(server.sent).toEqual([{ id: failed?.message.id, text: 'Keep me' }]);
    await expect.poll(() => texts(session)).toEqual(['Keep me', 'Thank you.']);
    expect(session.getState().failedSends).toEqual([]);
  });
});
