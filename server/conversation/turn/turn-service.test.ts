import { createClient } from '@libsql/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConflictError, RateLimitedError, StoppingError, TooLargeError, UnknownModelError } from '#server/core/errors';
import { scopesOfRole } from '#server/core/admin/access-rights';
import type { Lease } from '#server/core/conversation/turns';
import { repeat } from '#server/conversation/turn/background-work';
import type { Services } from '#server/services';
import { openDatabase } from '#server/platform/database/database';
import { LeaseWatch, newLease } from '#server/platform/database/leases';
import { createTurnRepository } from '#server/conversation/store/turn-repository';
import { foldTurn, startScriptedChat } from '#tests/support/scripted-chat';
import { hangingStep, heldStep, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';

afterEach(() => vi.restoreAllMocks());

async function read(stream: ReadableStream): Promise<void> {
  for await (const _ of stream);
}

describe('sending messages', () => {
  it('stores nothing of a message that no context could hold or no model could answer', async () => {
    await using chat = await startScriptedChat([]);
    await expect(chat.send('word '.repeat(20_000))).rejects.toThrow(TooLargeError);
    const request = {
      session: chat.session,
      texts: ['Hi'],
      modelId: 'no/where',
      scopes: scopesOfRole.admin,
      clientRequestId: null,
    };
    await expect(chat.services.chat.send(request)).rejects.toThrow(UnknownModelError);
    expect((await chat.services.messages.list(chat.session.id)).items).toEqual([]);
  });

  it('stores nothing of a prepared message that no context could hold', async () => {
    await using chat = await startScriptedChat([]);
    const huge = [{ role: 'user', content: 'word '.repeat(200_000) }];
    await expect(chat.services.context.prepare(chat.session, huge)).rejects.toThrow(TooLargeError);
    expect(await chat.messages()).toEqual([]);
  });

  it('starts no more turns of a user than allowed, and stores no refused message', async () => {
    const held = heldStep(...textBlock('t', 'Hm'));
    await using chat = await startScriptedChat([held.step], { RUNNING_TURNS: '1' });
    const { services, session } = chat;
    const other = await services.sessions.create({ ownerId: 'own_local', modelId: session.modelId });
    const running = chat.say('One');
    await held.said;
    const more = { texts: ['Two'], modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
    await expect(services.chat.send({ session: other, ...more })).rejects.toThrow(RateLimitedError);
    expect((await services.messages.list(other.id)).items).toEqual([]);
    held.end();
    await running;
  });

  it('recognises a repeated request whose model is gone or that became too large', async () => {
    await using chat = await startScriptedChat([says('Hello.')]);
    const { chat: turns } = chat.services;
    const request = {
      session: chat.session,
      texts: ['Hi'],
      modelId: null,
      scopes: scopesOfRole.admin,
      clientRequestId: 'req-1',
    };
    const first = await turns.enqueue(request);
    await turns.idle();
    expect(await turns.enqueue({ ...request, modelId: 'no/where' })).toEqual(first);
    expect(await turns.enqueue({ ...request, texts: ['word '.repeat(20_000)] })).toEqual(first);
    expect(chat.requests).toHaveLength(1);
  });

  it('answers a request that is sent again with its own answer, also while a later turn runs', async () => {
    const held = heldStep(...textBlock('t', 'Later'));
    await using chat = await startScriptedChat([says('Hello.'), held.step]);
    const { chat: turns } = chat.services;
    const request = {
      session: chat.session,
      texts: ['Hi'],
      modelId: null,
      scopes: scopesOfRole.admin,
      clientRequestId: 'req-1',
    };
    const again = async () => {
      const outcome = await turns.send(request);
      if (outcome.kind !== 'started') throw new Error('It was queued.');
      return (await foldTurn(outcome.stream)).message;
    };
    const first = await again();
    await turns.idle();
    expect(await again()).toMatchObject({ id: first.id, metadata: { status: 'complete' } });
    await chat.send('And now?');
    await held.said;
    expect(await again()).toEqual(await again());
    expect((await again()).parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hello.' }));
    held.end();
    await turns.idle();
    expect(chat.requests).toHaveLength(2);
  });
});

describe('messages from elsewhere', () => {
  it('never come between a request and its answer, also if its turn begins during the write', async () => {
    const held = heldStep(...textBlock('t', 'Answer'));
    await using chat = await startScriptedChat([held.step]);
    const { services, session } = chat;
    const { turns } = services;
    const running = turns.running.bind(turns);
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vi.spyOn(turns, 'running').mockImplementationOnce(async (id) => {
      const found = await running(id);
      reached.resolve();
      await go.promise;
      return found;
    });
    const imported = services.context.import(session, [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'From elsewhere' },
    ]);
    const refused = expect(imported).rejects.toThrow(ConflictError);
    await reached.promise;
    await chat.send('Hi');
    go.resolve();
    await refused;
    await held.said;
    held.end();
    await services.chat.idle();
    expect((await chat.messages()).map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect((await services.sessions.get(session.id)).instructions).toBeNull();
  });

  it('store no file if they are refused', async () => {
    const held = heldStep(...textBlock('t', 'Answer'));
    await using chat = await startScriptedChat([held.step]);
    const { services, session } = chat;
    const file = { type: 'file', mediaType: 'text/plain', data: 'data:text/plain;base64,V29yZHM=' };
    const send = () => services.context.import(session, [{ role: 'user', content: [file] }]);
    const files = () => services.attachments.filesOf(session.id).list();
    await chat.send('Hi');
    await held.said;
    await expect(send()).rejects.toThrow(ConflictError);
    expect(await files()).toEqual([]);
    held.end();
    await services.chat.idle();
    await send();
    expect(await files()).toHaveLength(1);
  });
});

describe('a turn whose process died', () => {
  it('stops working when another one has taken it over', async () => {
    const hanging = hangingStep(...textBlock('t', 'Half'), ...toolCall('c1', 'get_settings', '{}'));
    await using chat = await startScriptedChat([hanging.step, says('Never said')], { TURN_HEARTBEAT_MS: '5000' });
    const outcome = await chat.send('Hi');
    await hanging.said;
    const turn = await chat.services.turns.running(chat.session.id);
    await using database = await openDatabase({ url: chat.services.env.DATABASE_URL });
    let elapsed = 0;
    const other = createTurnRepository(database, Date.now, new LeaseWatch(() => elapsed));
    expect(await other.settle(turn!.id)).toEqual({ settled: false });
    elapsed += chat.services.env.TURN_LEASE_MS;
    expect(await other.settle(turn!.id)).toEqual({ settled: true });
    const settled = (await chat.services.messages.list(chat.session.id)).items;
    if (outcome.kind === 'started') await read(outcome.stream);

    const { items } = await chat.services.messages.list(chat.session.id);
    expect(items).toEqual(settled);
    expect(items.filter(({ status }) => status === 'streaming')).toEqual([]);
    expect(chat.requests).toHaveLength(1);
  });
});

describe('a turn that looks alive', () => {
  /** A turn of another process, and what it compacts. */
  async function leaveTurn(services: Services, lease: Lease): Promise<{ turnId: string; sessionId: string }> {
    const { id: sessionId } = await services.sessions.create({ ownerId: 'own_local' });
    const message = { role: 'user', parts: [{ type: 'text', content: { text: 'Go' } }] } as const;
    const request = { sessionId, modelId: null, scopes: scopesOfRole.admin, clientRequestId: null, maxTokens: 1_000 };
    const begun = await services.turns.begin({ ...request, ...lease, message });
    await services.compactions.acquire(sessionId, lease);
    return { turnId: begun.kind === 'started' ? begun.turn.id : '', sessionId };
  }

  it('is left to another machine that renews it, with a clock that is hours late', async () => {
    await using first = await startScriptedChat([]);
    const { services } = first;
    const leaseOwner = newLease(15_000).leaseOwner.replace(/^[^/]+/, 'another-machine');
    const { turnId, sessionId } = await leaveTurn(services, { leaseOwner, leaseMs: -10 * 3_600_000 });

    await using next = await startTestServices({ DATABASE_URL: services.env.DATABASE_URL });
    expect(await next.turns.find(turnId)).toMatchObject({ status: 'running' });
    expect(await next.compactions.isCompacting(sessionId)).toBe(true);
  });
});

describe('recovery after dead processes', () => {
  it('continues after a session and a turn that cannot be read', async () => {
    await using dead = await startScriptedChat([]);
    const { services } = dead;
    await services.chat.close({ limitMs: 0 });
    const lease = { leaseOwner: 'dead', leaseMs: 0 };
    const begin = async (modelId: string | null = null) => {
      const { id: sessionId } = await services.sessions.create({ ownerId: 'own_local' });
      const message = { role: 'user', parts: [{ type: 'text', content: { text: 'list the pages' } }] } as const;
      const request = {
        ...lease,
        sessionId,
        modelId,
        scopes: scopesOfRole.admin,
        clientRequestId: null,
        maxTokens: 1_000,
        message,
      };
      await services.turns.begin(request);
      await services.turns.begin(request);
      return sessionId;
    };
    // The oldest come first.
    const [unsettled, unread, healthy] = [await begin(), await begin(), await begin('throughline/offline')];
    const brokenTurn = (await services.turns.running(unsettled))!;
    const assistant = { role: 'assistant', turnId: brokenTurn.id, parts: [{ type: 'text', content: { text: '' } }] };
    const { parts } = await services.messages.append(unsettled, assistant as never);
    const client = createClient({ url: services.env.DATABASE_URL });
    await client.execute({ sql: `update message_parts set content = '{broken' where id = ?`, args: [parts[0]!.id] });
    await client.execute({
      sql: `update queued_messages set parts = '{broken' where session_id = ?`,
      args: [unread],
    });
    client.close();

    await using alive = await startTestServices({ DATABASE_URL: services.env.DATABASE_URL });
    await alive.chat.idle();
    expect((await services.turns.find(brokenTurn.id))?.status).toBe('running');
    const { items } = await services.messages.list(healthy);
    expect(items.at(-1)).toMatchObject({ role: 'assistant', status: 'complete' });
    expect((await services.turns.queue(healthy)).items).toEqual([]);
  });

  it('is over when the service has closed', async () => {
    await using chat = await startScriptedChat([]);
    const { turns, chat: service } = chat.services;
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    vi.spyOn(turns, 'leftWork').mockImplementation(async () => {
      asked.resolve();
      await answer.promise;
      return { ofKeys: false, turns: true, compactions: false, queues: false };
    });
    const waiting = vi.spyOn(turns, 'sessionsWithQueue');
    await asked.promise;
    const before = waiting.mock.calls.length;
    let hasClosed = false;
    const closed = service.close({ limitMs: 0 }).then(() => (hasClosed = true));
    await turns.running(chat.session.id);
    expect(hasClosed).toBe(false);
    answer.resolve();
    await closed;
    expect(waiting.mock.calls.length).toBe(before + 1);
  });
});

describe('saying that turns are alive', () => {
  it('takes one write for all of them, and none while one is on its way', async () => {
    const steps = [heldStep(...textBlock('t', 'One')), heldStep(...textBlock('t', 'Two'))];
    await using chat = await startScriptedChat(
      steps.map(({ step }) => step),
      { TURN_HEARTBEAT_MS: '50' },
    );
    const { turns, sessions, chat: service } = chat.services;
    const renewing = Promise.withResolvers<void>();
    const renew = turns.renew.bind(turns);
    const renewed = vi.spyOn(turns, 'renew').mockImplementation(async (ids, lease) => {
      if (ids.length > 1) await renewing.promise;
      return renew(ids, lease);
    });
    await chat.send('Go');
    const other = await sessions.create({ ownerId: 'own_local', modelId: chat.session.modelId });
    await service.enqueue({
      session: other,
      texts: ['Go'],
      modelId: null,
      scopes: scopesOfRole.admin,
      clientRequestId: null,
    });
    await vi.waitFor(() => expect(renewed.mock.lastCall?.[0]).toHaveLength(2));
    const beats = renewed.mock.calls.length;
    let clock = 0;
    const clockwork = repeat(async () => void (clock += 1), 50);
    await vi.waitFor(() => expect(clock).toBeGreaterThan(3));
    await clockwork.stop();
    expect(renewed.mock.calls.length).toBe(beats);
    renewing.resolve();
    await vi.waitFor(() => expect(renewed.mock.calls.length).toBeGreaterThan(beats + 1));
    for (const { end } of steps) end();
    await service.idle();
    expect((await chat.messages()).at(-1)).toMatchObject({ status: 'complete' });
  });
});

describe('closing', () => {
  it('waits for a request that is on its way, which begins no step, and refuses the next', async () => {
    await using chat = await startScriptedChat([says('Never said')]);
    const { turns, chat: service } = chat.services;
    const begin = turns.begin.bind(turns);
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    vi.spyOn(turns, 'begin').mockImplementation(async (request) => {
      asked.resolve();
      await go.promise;
      return begin(request);
    });
    const sent = chat.enqueue('Hi');
    await asked.promise;
    let hasClosed = false;
    const closed = service.close({ limitMs: 60_000 }).then(() => (hasClosed = true));
    await expect(chat.enqueue('Too late')).rejects.toThrow(StoppingError);
    expect(hasClosed).toBe(false);
    go.resolve();
    await Promise.all([sent, closed]);
    expect(await turns.running(chat.session.id)).toBeNull();
    expect(chat.requests).toHaveLength(0);
  });

  it('takes nothing more from a queue, also if it was about to', async () => {
    const held = heldStep(...textBlock('t', 'First answer'));
    await using chat = await startScriptedChat([held.step, says('Never said')]);
    const { turns, chat: service } = chat.services;
    const closed = Promise.withResolvers<void>();
    const beginQueued = turns.beginQueued.bind(turns);
    vi.spyOn(turns, 'beginQueued').mockImplementationOnce((...order) => {
      closed.resolve(service.close({ limitMs: 60_000 }));
      return beginQueued(...order);
    });
    await chat.send('One');
    await held.said;
    await chat.enqueue('Two');
    held.end();
    await closed.promise;
    expect((await turns.queue(chat.session.id)).items).toHaveLength(1);
    expect((await chat.messages()).map(({ role, status }) => [role, status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'complete'],
    ]);
  });
});

describe('a cancel of a turn that runs elsewhere', () => {
  it('is answered although the store could not confirm the end immediately', async () => {
    const hanging = hangingStep(...textBlock('t', 'Half'));
    await using chat = await startScriptedChat([hanging.step]);
    await chat.send('Go');
    await hanging.said;
    await using other = await startTestServices({ DATABASE_URL: chat.services.env.DATABASE_URL });
    const find = vi.spyOn(other.turns, 'find').mockRejectedValueOnce(new Error('The database is busy.'));
    expect(await other.chat.cancel(chat.session.id)).toMatchObject({ cancelled: true });
    expect(find.mock.calls.length).toBeGreaterThan(1);
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
  });
});
