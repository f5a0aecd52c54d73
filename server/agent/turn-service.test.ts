import { describe, expect, it } from 'vitest';
import { TooLargeError, UnknownModelError } from '#server/core/errors';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { type ScriptedStep, finish, says, textBlock, toolCall } from '#tests/support/scripted-model';
import { startTestServices } from '#tests/support/test-services';

/** A step that says something and ends when it is told to. */
function heldStep(text: string) {
  const said = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const step: ScriptedStep = async (write) => {
    for (const part of textBlock('t', text)) write(part);
    said.resolve();
    await go.promise;
    write(finish());
  };
  return { step, said: said.promise, end: go.resolve };
}

async function read(stream: ReadableStream): Promise<void> {
  for await (const _ of stream);
}

describe('sending messages', () => {
  it('starts one of two that come at once and queues the other, which runs afterwards', async () => {
    const held = heldStep('First answer');
    await using chat = await startScriptedChat([held.step, says('Second answer')]);
    const outcomes = await Promise.all([chat.send('One'), chat.send('Two')]);
    expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(['queued', 'started']);
    await held.said;
    expect(outcomes.find((outcome) => outcome.kind === 'queued')).toMatchObject({ position: 1 });

    held.end();
    for (const outcome of outcomes) if (outcome.kind === 'started') await read(outcome.stream);
    const next = chat.services.chat.follow(chat.session.id);
    if (next) await read(next);

    const { items } = await chat.services.messages.list(chat.session.id);
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(items[3]?.parts[0]?.content).toEqual({ text: 'Second answer' });
    expect(await chat.services.turns.queue.list(chat.session.id)).toEqual([]);
  });

  it('runs a request once however often it is repeated', async () => {
    const held = heldStep('Once');
    await using chat = await startScriptedChat([held.step]);
    const request = { session: chat.session, texts: ['Hi'], modelId: null, clientRequestId: 'req-1' };
    const [first, again] = await Promise.all([chat.services.chat.send(request), chat.services.chat.send(request)]);
    held.end();
    for (const outcome of [first, again, await chat.services.chat.send(request)]) {
      expect(outcome.kind).toBe('started');
      if (outcome.kind === 'started') await read(outcome.stream);
    }
    expect((await chat.services.messages.list(chat.session.id)).items).toHaveLength(2);
  });

  it('goes on when nobody follows, and can be followed from the start again', async () => {
    const held = heldStep('Still here');
    await using chat = await startScriptedChat([held.step]);
    const outcome = await chat.send('Hi');
    if (outcome.kind === 'started') await outcome.stream.cancel();
    await held.said;
    const replay = chat.services.chat.follow(chat.session.id)!;
    held.end();
    const types: string[] = [];
    for await (const chunk of replay) types.push(chunk.type);
    expect(types).toMatchObject(['start', 'start-step', 'text-start', 'text-delta', 'text-end', ...types.slice(5)]);
    expect(types.at(-1)).toBe('finish');
  });

  it('stores nothing of a message that no context could hold or no model could answer', async () => {
    await using chat = await startScriptedChat([]);
    await expect(chat.send('word '.repeat(20_000))).rejects.toThrow(TooLargeError);
    const request = { session: chat.session, texts: ['Hi'], modelId: 'no/where', clientRequestId: null };
    await expect(chat.services.chat.send(request)).rejects.toThrow(UnknownModelError);
    expect((await chat.services.messages.list(chat.session.id)).items).toEqual([]);
  });

  it('names the session after its first request', async () => {
    await using chat = await startScriptedChat([says('Hello.'), says('Again.')]);
    await chat.say('Build\n a site');
    await chat.say('And more');
    expect((await chat.services.sessions.get(chat.session.id)).title).toBe('Build a site');
  });
});

describe('a turn whose process is gone', () => {
  it('is settled by another one: text kept, calls answered, the queue goes on', async () => {
    await using dead = await startScriptedChat([]);
    const { services, session } = dead;
    await services.chat.close();
    const lease = { sessionId: session.id, modelId: null, clientRequestId: null, leaseOwner: 'dead', leaseMs: 0 };
    const message = (text: string) => ({ role: 'user', parts: [{ type: 'text', content: { text } }] }) as const;
    const begun = await services.turns.begin({ ...lease, message: message('One') });
    const turnId = begun.kind === 'started' ? begun.turn.id : '';
    await services.messages.append(session.id, {
      role: 'assistant',
      status: 'streaming',
      turnId,
      parts: [
        { type: 'text', content: { text: 'I was about' }, state: 'running' },
        { type: 'tool-call', content: { toolCallId: 'c1', toolName: 'get_settings', input: {} }, state: 'running' },
      ],
    });
    await services.turns.begin({ ...lease, message: message('list the pages'), modelId: 'throughline/offline' });

    await using alive = await startTestServices({ DATABASE_URL: services.env.DATABASE_URL });
    await alive.chat.close();

    expect(await services.turns.find(turnId)).toMatchObject({ status: 'interrupted' });
    const { items } = await services.messages.list(session.id);
    expect(items[1]).toMatchObject({ status: 'interrupted', parts: [{ content: { text: 'I was about' } }, {}] });
    expect(items[2]).toMatchObject({ role: 'tool', parts: [{ state: 'error', content: { toolCallId: 'c1' } }] });
    expect(items[3]?.parts[0]?.content).toEqual({ text: 'list the pages' });
    expect(items.at(-1)).toMatchObject({ role: 'assistant', status: 'complete' });
  });

  it('stops working when another one has taken it over', async () => {
    const hanging: ScriptedStep = (write, { abortSignal }) => {
      for (const part of [...textBlock('t', 'Half'), ...toolCall('c1', 'get_settings', '{}')]) write(part);
      return new Promise((_, reject) =>
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error)),
      );
    };
    await using chat = await startScriptedChat([hanging, says('Never said')]);
    const outcome = await chat.send('Hi');
    const turn = await chat.services.turns.running(chat.session.id);
    await chat.services.turns.finish(turn!.id, { status: 'interrupted' });
    if (outcome.kind === 'started') await read(outcome.stream);

    const { items } = await chat.services.messages.list(chat.session.id);
    expect(items.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'interrupted'],
    ]);
    expect(items[1]?.error).toBeNull();
    expect(chat.requests).toHaveLength(1);
  });
});
