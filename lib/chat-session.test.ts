import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '#lib/api-error';
import { asksForApproval, messageText, wasStopped } from '#lib/chat-message';
import { ChatSession } from '#lib/chat-session';
import { connection } from '#lib/connection';
import { draftAt, writeDraft } from '#lib/drafts';
import { FakeChatServer } from '#tests/support/fake-chat-server';

const texts = (session: ChatSession) => session.chat.messages.map(messageText);
const waiting = (session: ChatSession) => session.getState().queue.items.map(({ text }) => text);
const answer = (session: ChatSession) => session.chat.messages.findLast(({ role }) => role === 'assistant');

/** The stream of the running turn arrives. */
const isFollowing = (session: ChatSession) => session.isRunning && session.chat.messages.at(-1)?.role === 'assistant';

describe('ChatSession', () => {
  let server: FakeChatServer;
  let session: ChatSession;
  let unwatch: () => void;
  const settled = vi.fn<(sessionId: string) => void>();

  const openSession = () => new ChatSession('ses_1', { onContext: () => undefined, onSettled: settled });

  /** Follows what happens on the server, as the conversation on screen does. */
  const watch = async (watched: ChatSession) => {
    const before = server.listenerCount;
    const end = watched.watch();
    await vi.waitUntil(() => server.listenerCount > before);
    return end;
  };

  /** Sends and waits until the turn is followed. */
  const begin = async (text: string) => {
    session.startEmpty();
    await session.send(text, undefined);
    await vi.waitUntil(() => isFollowing(session));
  };

  const sentTexts = () => server.sent.map(({ text }) => text);

  /** Holds back the next request of this kind, and none after it. */
  const holdNext = async (request: string, send: () => Promise<void>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = server.requests.filter((made) => made === request).length;
    server.gates.set(request, promise);
    const sent = send();
    await vi.waitUntil(() => server.requests.filter((made) => made === request).length > before);
    server.gates.clear();
    return { sent, release: resolve };
  };

  /** Until everything has happened that needs no answer that is held back. */
  const untilHeld = () => new Promise((resolve) => void setImmediate(resolve));

  const untilIdle = (watched = session) => vi.waitUntil(() => !watched.isRunning && !server.isRunning);

  beforeEach(() => {
    server = new FakeChatServer();
    vi.stubGlobal('fetch', server.fetch);
    settled.mockClear();
    session = openSession();
    unwatch = () => undefined;
  });
  afterEach(() => {
    unwatch();
    vi.unstubAllGlobals();
  });

  it('shows what is sent and what is answered', async () => {
    await begin('Hello');
    server.endTurn('Good day.');
    await untilIdle();
    expect(texts(session)).toEqual(['Hello', 'Good day.']);
    await vi.waitUntil(() => settled.mock.calls.length > 0);
    expect(settled).toHaveBeenCalledWith('ses_1');
  });

  it('does not load again what it has streamed, also when it is told of it', async () => {
    session.startEmpty();
    unwatch = await watch(session);
    for (const text of ['Hello', 'And now?']) {
      await begin(text);
      settled.mockClear();
      server.endTurn('Good day.');
      await untilIdle();
      await vi.waitUntil(() => settled.mock.calls.length > 0);
    }
    expect(texts(session)).toEqual(['Hello', 'Good day.', 'And now?', 'Good day.']);
    expect(server.requests.filter((request) => request.endsWith('/messages'))).toEqual([]);
  });

  it('keeps a message on screen that was sent while the transcript was being loaded', async () => {
    await session.open();
    unwatch = await watch(session);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.gates.set('GET /api/sessions/ses_1/messages', promise);
    server.startTurn('Elsewhere');
    server.endTurn('Done.');
    await vi.waitUntil(() => server.requests.filter((request) => request.endsWith('/messages')).length > 1);
    await session.send('Mine', undefined);
    server.gates.clear();
    resolve();
    await vi.waitUntil(() => isFollowing(session));
    expect(texts(session)).toContain('Mine');
    server.endTurn('Yours.');
    await vi.waitUntil(() => texts(session).includes('Elsewhere'));
    expect(texts(session)).toEqual(['Elsewhere', 'Done.', 'Mine', 'Yours.']);
  });

  it('is not loaded again after it was deleted, when the connection comes back', async () => {
    const deleted = openSession();
    deleted.close();
    const fetched = (url: string, init?: RequestInit) =>
      url === '/api/health' ? Promise.resolve(new Response()) : server.fetch(url, init);
    vi.stubGlobal('fetch', fetched);
    connection.reportLost();
    await vi.waitUntil(() => session.getState().load === 'ready');
    expect(deleted.getState().load).toBe('loading');
  });

  describe('the newest request', () => {
    const said = (text: string) => [{ type: 'text' as const, text }];

    /** One request with its answer, sent from here. */
    const ask = async () => {
      await begin('Hello');
      server.endTurn('Good day.');
      await untilIdle();
    };

    it('is changed under the id that it is stored with, and answered anew in its place', async () => {
      await ask();
      await session.edit();
      const { editing } = session.getState();
      expect(editing).toBe(server.stored[0]?.id);
      await session.replace(editing ?? '', said('Hello you'), undefined, false);
      expect(session.getState().editing).toBeNull();
      await vi.waitUntil(() => isFollowing(session));
      server.endTurn('And you.');
      await untilIdle();
      expect(texts(session)).toEqual(['Hello you', 'And you.']);
    });

    it('is asked once more without being said twice', async () => {
      await ask();
      for (const answers of ['Good evening.', 'Good night.']) {
        session.chat.clearError();
        await session.retry(undefined, false);
        await vi.waitUntil(() => isFollowing(session));
        server.endTurn(answers);
        await untilIdle();
        expect(texts(session)).toEqual(['Hello', answers]);
      }
    });

    it('stays open with everything as it was when the change is refused', async () => {
      await ask();
      await session.edit();
      server.startTurn('Elsewhere');
      server.endTurn('Faster.');
      const { editing } = session.getState();
      const before = texts(session);
      await expect(session.replace(editing ?? '', said('Hello you'), undefined, true)).rejects.toThrow(ApiError);
      expect(session.getState().editing).toBe(editing);
      expect(texts(session)).toEqual(before);
      expect(server.sent).toHaveLength(1);
    });

    it('is in step in another tab when it is replaced', async () => {
      await ask();
      const other = openSession();
      const end = await watch(other);
      await vi.waitUntil(() => texts(other).length === 2);
      await session.retry(undefined, false);
      await vi.waitUntil(() => isFollowing(other));
      server.endTurn('Good evening.');
      await untilIdle(other);
      expect(texts(other)).toEqual(['Hello', 'Good evening.']);
      end();
    });

    it('is sent once for two clicks, and not while an answer is being written', async () => {
      await ask();
      await Promise.all([session.retry(undefined, false), session.retry(undefined, false)]);
      await vi.waitUntil(() => isFollowing(session));
      await session.edit();
      await session.retry(undefined, false);
      expect(session.getState().editing).toBeNull();
      expect(server.sent).toHaveLength(2);
      server.endTurn('Good evening.');
      await untilIdle();
    });

    it('is sent anew before what is written after it, also when that is slow', async () => {
      await ask();
      const slow = await holdNext('POST /api/chat', () => session.retry(undefined, false));
      const second = session.send('And then?', undefined);
      await untilHeld();
      slow.release();
      await Promise.all([slow.sent, second]);
      expect(sentTexts()).toEqual(['Hello', 'Hello', 'And then?']);
      expect(waiting(session)).toEqual(['And then?']);
    });

    it('is not opened for a change while it is being replaced, which would close it with what is written', async () => {
      await ask();
      const slow = await holdNext('POST /api/chat', () => session.retry(undefined, false));
      await session.edit();
      expect(session.getState().editing).toBeNull();
      slow.release();
      await slow.sent;
    });

    it('is none before anything was asked', async () => {
      session.startEmpty();
      await session.edit();
      await session.retry(undefined, false);
      expect(session.getState().editing).toBeNull();
      expect(server.sent).toEqual([]);
    });
  });

  describe('the queue', () => {
    it('takes what is sent while a turn runs, then follows the next turn without a duplicate', async () => {
      unwatch = await watch(session);
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
      it('also when the first of them is slow', async () => {
        await begin('Start');
        const slow = await holdNext('POST /api/message/queue', () => session.send('a', undefined));
        const others = ['b', 'c'].map((text) => session.send(text, undefined));
        slow.release();
        await Promise.all([slow.sent, ...others]);
        expect(sentTexts()).toEqual(['Start', 'a', 'b', 'c']);
        expect(waiting(session)).toEqual(['a', 'b', 'c']);
      });

      it('also behind one that starts a turn', async () => {
        session.startEmpty();
        const slow = await holdNext('POST /api/chat', () => session.send('Start', undefined));
        const second = session.send('a', undefined);
        slow.release();
        await second;
        expect(sentTexts()).toEqual(['Start', 'a']);
      });

      it('also when the turn ends while one is on its way', async () => {
        await begin('Start');
        const slow = await holdNext('POST /api/message/queue', () => session.send('a', undefined));
        server.endTurn('Done.');
        await untilIdle();
        const second = session.send('b', undefined);
        slow.release();
        await Promise.all([slow.sent, second]);
        expect(sentTexts()).toEqual(['Start', 'a', 'b']);
      });

      it('also when the one before is refused, which its sender gets back', async () => {
        await begin('Start');
        server.refusesNext = true;
        const refused = session.send('a', undefined);
        const second = session.send('b', undefined);
        await expect(refused).rejects.toThrow('Not now.');
        await second;
        expect(sentTexts()).toEqual(['Start', 'b']);
      });
    });

    it('can be changed: edit, remove, send first, clear', async () => {
      unwatch = await watch(session);
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

    it('works without events too: what was done here is shown', async () => {
      await begin('Start');
      for (const text of ['a', 'b']) await session.send(text, undefined);
      const [a, b] = session.getState().queue.items;
      await session.queue.edit(a?.id ?? '', 'A');
      await session.sendQueued(b?.id ?? '');
      expect(waiting(session)).toEqual(['b', 'A']);
      await session.queue.remove(a?.id ?? '');
      expect(waiting(session)).toEqual(['b']);
    });

    it('is read anew when a message to be edited is gone', async () => {
      await begin('Start');
      await session.send('a', undefined);
      const [a] = session.getState().queue.items;
      server.queue = [];
      await expect(session.queue.edit(a?.id ?? '', 'A')).rejects.toThrow(ApiError);
      expect(waiting(session)).toEqual([]);
    });

    it('believes an event that came after a reading had begun', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      session.startEmpty();
      const stale = session.queue;
      unwatch = await watch(session);
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

    it('keeps the order of what is done to one message, also when the first change is slow', async () => {
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

    it('loses nothing that is written while what waited before is being cleared', async () => {
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

    /** Holds back the answers, not the requests, of the first so many requests of a kind. */
    const holdAnswers = (request: string, count: number) => {
      const held = Array.from({ length: count }, () => Promise.withResolvers<void>());
      let made = 0;
      vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
        const response = await server.fetch(path, init);
        if (`${init?.method ?? 'GET'} ${path.split('?')[0] ?? ''}` === request) await held[made++]?.promise;
        return response;
      });
      return { held, answered: () => made };
    };

    it('believes the newer of two readings, also when the older is there first', async () => {
      server.queue = [{ id: 'que_9', text: 'gone by now', files: [], createdAt: 0 }];
      const { held, answered } = holdAnswers('GET /api/message/queue', 2);
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

    it('shows no message whose turn was over before it was told that it waits', async () => {
      session.startEmpty();
      unwatch = await watch(session);
      server.startTurn('From another window');
      const { held, answered } = holdAnswers('POST /api/chat', 1);
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

    it('takes a message that the server queued though nothing seemed to run', async () => {
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

    it('is shown in place when the running turn takes it in', async () => {
      unwatch = await watch(session);
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
  });

  describe('stopping', () => {
    it('ends the turn, keeps what was written, holds what waits, and lets it be sent', async () => {
      unwatch = await watch(session);
      await begin('Tell me everything');
      server.say('So far');
      await session.send('Later', undefined);
      await session.stop();
      await untilIdle();
      expect(session.getState()).toMatchObject({ isStopping: false, queue: { held: true } });
      expect(waiting(session)).toEqual(['Later']);
      expect(texts(session)).toEqual(['Tell me everything', 'So far']);
      expect(answer(session) && wasStopped(answer(session)!)).toBe(true);

      await session.sendHeld();
      await vi.waitUntil(() => session.isRunning && texts(session).includes('Later'));
      expect(waiting(session)).toEqual([]);
      server.endTurn('Sent.');
      await untilIdle();
      expect(texts(session)).toEqual(['Tell me everything', 'So far', 'Later', 'Sent.']);
    });

    it('takes what is held along with the next message, as the server stored it', async () => {
      unwatch = await watch(session);
      await begin('Start');
      await session.send('One', undefined);
      await session.stop();
      await untilIdle();
      await session.send('Two', undefined);
      await vi.waitUntil(() => session.isRunning && texts(session).includes('First: One\n\nAlso: Two'));
      expect(texts(session)).not.toContain('Two');
      expect(waiting(session)).toEqual([]);
    });

    it('waits for a message that is on its way', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.gates.set('POST /api/chat', promise);
      session.startEmpty();
      await session.send('Wait', undefined);
      const stopping = session.stop();
      expect(session.getState().isStopping).toBe(true);
      expect(server.requests).not.toContain('POST /api/chat/ses_1/cancel');
      resolve();
      await stopping;
      await untilIdle();
      expect(server.requests.indexOf('POST /api/chat/ses_1/cancel')).toBeGreaterThan(0);
      expect(session.getState().isStopping).toBe(false);
    });

    it('waits for one that is on its way to the queue, which would start a turn after it', async () => {
      await begin('Start');
      const slow = await holdNext('POST /api/message/queue', () => session.send('Later', undefined));
      const stopping = session.stop();
      await untilHeld();
      slow.release();
      await Promise.all([slow.sent, stopping]);
      await untilIdle();
      expect(server.held).toBe(true);
      expect(server.queue.map(({ text }) => text)).toEqual(['Later']);
    });

    it('says why when it could not', async () => {
      await begin('Go on');
      server.refusesNext = true;
      await expect(session.stop()).rejects.toThrow('Not now.');
      expect(session.getState().isStopping).toBe(false);
      expect(session.isRunning).toBe(true);
    });
  });

  describe('approvals', () => {
    it('follows the turn that goes on after a decision', async () => {
      unwatch = await watch(session);
      await begin('Delete it');
      server.askFor('call_1');
      await untilIdle();
      expect(answer(session) && asksForApproval(answer(session)!)).toBe(true);

      await session.decide([{ toolCallId: 'call_1', approved: true }]);
      await vi.waitUntil(() => session.isRunning);
      server.endTurn('Deleted.');
      await untilIdle();
      expect(server.decisions).toEqual([{ toolCallId: 'call_1', approved: true }]);
      expect(texts(session)).toEqual(['Delete it', 'Deleted.']);
    });

    it('needs no events for that, nor for how somebody else decided', async () => {
      await begin('Delete it');
      server.askFor('call_1');
      await untilIdle();
      await session.decide([{ toolCallId: 'call_1', approved: false }]);
      server.endTurn('Left alone.');
      await vi.waitUntil(() => texts(session).includes('Left alone.'));
      await expect(session.decide([{ toolCallId: 'call_1', approved: true }])).rejects.toThrow('Already decided.');
    });

    it('decides before what is written after it arrives, which would deny what is open', async () => {
      await begin('Delete it');
      server.askFor('call_1');
      await untilIdle();
      const slow = await holdNext('POST /api/sessions/ses_1/approvals', () =>
        session.decide([{ toolCallId: 'call_1', approved: true }]),
      );
      const second = session.send('And then?', undefined);
      await untilHeld();
      slow.release();
      await Promise.all([slow.sent, second]);
      expect(server.decisions).toEqual([{ toolCallId: 'call_1', approved: true }]);
      await vi.waitUntil(() => waiting(session).includes('And then?'));
    });

    it('shows how somebody else decided, also when that was over at once', async () => {
      unwatch = await watch(session);
      await begin('Delete it');
      server.askFor('call_1');
      await untilIdle();
      await server.fetch('/api/sessions/ses_1/approvals', {
        method: 'POST',
        body: JSON.stringify({ decisions: [{ toolCallId: 'call_1', approved: false }] }),
      });
      server.endTurn('Left alone.');
      await vi.waitUntil(() => texts(session).includes('Left alone.'));
      await expect(session.decide([{ toolCallId: 'call_1', approved: true }])).rejects.toThrow('Already decided.');
      expect(answer(session) && asksForApproval(answer(session)!)).toBe(false);
    });
  });

  describe('in a second tab', () => {
    it('follows a turn that was started elsewhere, and can stop it', async () => {
      await session.open();
      unwatch = await watch(session);
      server.startTurn('From elsewhere');
      await vi.waitUntil(() => session.isRunning);
      server.say('Half');
      await vi.waitUntil(() => texts(session).includes('Half'));
      await session.stop();
      await untilIdle();
      expect(texts(session)).toEqual(['From elsewhere', 'Half']);
    });

    it('shows a turn that was over before it could be followed', async () => {
      await session.open();
      unwatch = await watch(session);
      server.startTurn('Quick');
      server.endTurn('Done.');
      await vi.waitUntil(() => texts(session).includes('Done.'));
      expect(texts(session)).toEqual(['Quick', 'Done.']);
    });

    it('shows what happened while events did not arrive', async () => {
      await session.open();
      unwatch = await watch(session);
      server.dropListeners();
      server.startTurn('Meanwhile');
      server.endTurn('Done.');
      server.queue = [{ id: 'que_1', text: 'Waiting', files: [], createdAt: 0 }];
      await vi.waitUntil(() => texts(session).includes('Done.'));
      await vi.waitUntil(() => waiting(session).includes('Waiting'));
    });

    it('keeps the messages that did not change as they are', async () => {
      server.startTurn('Old');
      server.endTurn('Answer.');
      await session.open();
      const before = [...session.chat.messages];
      unwatch = await watch(session);
      server.startTurn('New');
      await vi.waitUntil(() => texts(session).includes('New'));
      expect(session.chat.messages[0]).toBe(before[0]);
      expect(session.chat.messages[1]).toBe(before[1]);
    });
  });

  it('picks up a running turn when it is opened, without a duplicate', async () => {
    server.startTurn('Before the reload');
    const opening = session.open();
    await vi.waitUntil(() => session.isRunning);
    server.endTurn('Still here.');
    await opening;
    expect(texts(session)).toEqual(['Before the reload', 'Still here.']);
    expect(session.getState().load).toBe('ready');
  });

  it('shows what waits when it is opened', async () => {
    server.queue = [{ id: 'que_1', text: 'Held', files: [], createdAt: 0 }];
    server.held = true;
    await session.open();
    await vi.waitUntil(() => session.getState().queue.held);
    expect(waiting(session)).toEqual(['Held']);
  });

  it('shows the whole answer when its turn ends between loading and following', async () => {
    server.startTurn('Before the reload');
    server.endsBeforeFollow = 'The whole answer.';
    await session.open();
    expect(texts(session)).toEqual(['Before the reload', 'The whole answer.']);
  });

  it('looks once more for the answer to a request that has none, and then leaves it', async () => {
    server.stored.push({ id: 'msg_1', role: 'user', parts: [{ type: 'text', text: 'Anybody?' }] });
    await session.open();
    expect(texts(session)).toEqual(['Anybody?']);
  });

  it('sends a message that was written before the conversation was loaded behind what is stored', async () => {
    server.startTurn('Old');
    server.endTurn('Answer.');
    await session.send('New', undefined);
    await vi.waitUntil(() => session.isRunning);
    server.endTurn('Done.');
    await untilIdle();
    expect(texts(session)).toEqual(['Old', 'Answer.', 'New', 'Done.']);
  });

  it('shows what became of a message that was over before it could be followed', async () => {
    server.queue = [{ id: 'que_1', text: 'Held', files: [], createdAt: 0 }];
    server.held = true;
    await session.open();
    await vi.waitUntil(() => waiting(session).length === 1);
    server.endsBeforeFollow = 'Both done.';
    await session.send('New', undefined);
    await vi.waitUntil(() => texts(session).includes('Both done.'));
    expect(texts(session)).toEqual(['First: Held\n\nAlso: New', 'Both done.']);
  });

  it('keeps a message that was refused and sends it again under the same key', async () => {
    session.startEmpty();
    server.refusesNext = true;
    await session.send('Keep me', undefined);
    await vi.waitUntil(() => session.getState().failedSends.length === 1);
    const [failed] = session.getState().failedSends;
    expect(failed?.reason).toBe('Not now.');
    expect(texts(session)).toEqual(['Keep me']);

    const sending = session.resend(failed?.messageId ?? '');
    await vi.waitUntil(() => isFollowing(session));
    server.endTurn('Thank you.');
    await sending;
    expect(new Set(server.sent.map(({ id }) => id)).size).toBe(1);
    expect(texts(session)).toEqual(['Keep me', 'Thank you.']);
    expect(session.getState().failedSends).toEqual([]);
  });

  it('keeps a message that was sent while the answer before it had broken off', async () => {
    const health = Promise.withResolvers<void>();
    const reach = (url: string, init?: RequestInit) => {
      if (url === '/api/health') return health.promise.then(() => new Response());
      return connection.state === 'offline'
        ? Promise.reject(new TypeError('Failed to fetch'))
        : server.fetch(url, init);
    };
    vi.stubGlobal('fetch', reach);
    await begin('Hello');
    server.breakStreams();
    await vi.waitUntil(() => connection.state === 'offline' && !session.isRunning);
    await session.send('Do not lose this', undefined);
    await vi.waitUntil(() => session.getState().failedSends.length === 1);
    health.resolve();
    await vi.waitUntil(() => isFollowing(session) || session.isRunning);
    server.endTurn('Good day.');
    await untilIdle();
    expect(texts(session)).toEqual(['Hello', 'Good day.', 'Do not lose this']);
    expect(session.getState().failedSends).toHaveLength(1);
  });

  it('keeps what was said while somebody had signed out, for when they come back', async () => {
    const assign = vi.fn<(to: string) => void>();
    vi.stubGlobal('window', { location: { pathname: `/c/${session.id}`, search: '', assign } });
    session.startEmpty();
    server.refusesNext = true;
    server.refusal = 401;
    await session.send('Do not lose this', undefined);
    await vi.waitUntil(() => draftAt(session.id) === 'Do not lose this');
    expect(texts(session)).toEqual([]);
    expect(assign).toHaveBeenCalledExactlyOnceWith(`/login?next=${encodeURIComponent(`/c/${session.id}`)}`);
    writeDraft(session.id, '');
  });

  it('gives a text back that could not be queued', async () => {
    await begin('Start');
    server.refusesNext = true;
    await expect(session.send('Not taken', undefined)).rejects.toThrow('Not now.');
    expect(waiting(session)).toEqual([]);
  });
});
