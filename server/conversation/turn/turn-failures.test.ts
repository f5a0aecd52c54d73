import { databaseBusy } from '#server/core/messages/coded-errors';
import { serverText } from '#server/core/messages/server-text';
import { APICallError } from 'ai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { MessageWriter } from '#server/conversation/step/answer-writer';
import { NotStoredError } from '#server/conversation/step/retrying-writer';
import type { SessionEventName } from '#server/core/conversation/events';
import { INPUT_CUT } from '#server/core/conversation/turns';
import { StoreUnavailableError } from '#server/core/errors';
import { type ScriptedChat, startScriptedChat, visibleParts } from '#tests/support/scripted-chat';
import { type ScriptedStep, finish, heldStep, says, textBlock, toolCall } from '#tests/support/scripted-model';

function httpError(statusCode: number, responseHeaders: Record<string, string> = {}): APICallError {
  const request = { url: 'http://provider.test', requestBodyValues: {} };
  return new APICallError({ ...request, message: 'Provider says no', statusCode, responseHeaders });
}

const busy = httpError(429, { 'retry-after-ms': '1' });
const SECRET = new Error('Failed query: update parts params: the draft');
const INTERNAL = 'The turn failed for an internal reason. What was done before is kept: say "continue" to go on.';
const NOT_STORED = new NotStoredError(SECRET).message;
const listPages = [...toolCall('c1', 'list_content', '{"type":"page"}'), finish('tool-calls')];

afterEach(() => vi.restoreAllMocks());

/** Of the next turn's writes those that match fail; `forGood`: and all that follow. */
function breakWrites(
  { services }: ScriptedChat,
  matches: (name: keyof MessageWriter, args: unknown[]) => boolean,
  { forGood = false, error = SECRET }: { forGood?: boolean; error?: Error } = {},
) {
  const forTurn = services.messages.forTurn.bind(services.messages);
  vi.spyOn(services.messages, 'forTurn').mockImplementationOnce((turn) => {
    let isOut = false;
    return new Proxy(forTurn(turn), {
      get:
        (writes, name: keyof MessageWriter) =>
        (...args: never[]) => {
          const fails = isOut || matches(name, args);
          isOut = fails && forGood;
          return fails ? Promise.reject(error) : (writes[name] as (...args: never[]) => unknown)(...args);
        },
    });
  });
}

/** The first stored event of this name. */
async function firstEvent({ services, session }: ScriptedChat, name: SessionEventName) {
  for await (const event of services.events.follow(session.id, 0)) if (event.name === name) return event;
  return undefined;
}

it('an answer that breaks off in the input of a call continues from what was written', async () => {
  const cut: ScriptedStep = (write) => {
    write({ type: 'tool-input-start', id: 'c1', toolName: 'create_content' });
    write({ type: 'tool-input-delta', id: 'c1', delta: '{"type":"page","title":"Pricing","excerpt":"Our pr' });
    return Promise.reject(new TypeError('terminated'));
  };
  await using chat = await startScriptedChat([cut, says('Shorter now.')]);
  const { message, errors } = await chat.say('Make a page');
  expect(errors).toEqual([]);
  const written = '{"type":"page","title":"Pricing","excerpt":"Our pr';
  expect(message.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-create_content', state: 'output-error', input: written, errorText: INPUT_CUT },
    { type: 'step-start' },
    { type: 'text', text: 'Shorter now.' },
  ]);
  expect(chat.requests[1]?.prompt.slice(-2)).toMatchObject([
    { role: 'assistant', content: [{ type: 'tool-call', toolName: 'create_content', input: { input: written } }] },
    { role: 'tool', content: [{ output: { type: 'error-text', value: INPUT_CUT } }] },
  ]);
  const [, reloaded] = await chat.services.transcript(chat.session.id);
  expect(visibleParts(reloaded!)).toEqual(visibleParts(message));
});

describe('a fault of ours', () => {
  it('in figures and pruning is logged, and the turn continues', async () => {
    await using chat = await startScriptedChat([
      async (write) => {
        emit.mockImplementationOnce(() => {
          throw SECRET;
        });
        listPages.forEach(write);
      },
      async (write) => {
        expect(log).toHaveBeenCalledWith({ err: SECRET }, expect.stringContaining('figures'));
        log.mockClear();
        loadView.mockRejectedValue(SECRET);
        textBlock('t', 'None.').forEach(write);
        write(finish());
      },
    ]);
    const loadView = vi.spyOn(chat.services.messages, 'loadView');
    const emit = vi.spyOn(chat.services.events, 'emit');
    const log = vi.spyOn(chat.services.log, 'error');
    const { message, errors } = await chat.say('Which pages?');
    expect(errors).toEqual([]);
    expect(message.metadata?.status).toBe('complete');
    expect(message.parts.at(-1)).toMatchObject({ text: 'None.' });
    const [user] = await chat.messages();
    expect(await chat.services.turns.find(user!.turnId!)).toMatchObject({ status: 'completed' });
    expect(log).toHaveBeenCalledWith({ err: SECRET }, expect.stringContaining('Pruning'));
    expect(log).toHaveBeenCalledWith({ err: SECRET }, expect.stringContaining('figures'));
  });

  it('that fails the turn is logged, not shown to the user', async () => {
    await using chat = await startScriptedChat([says('Never said')]);
    // For the environment context, without which the turn continues, and for the request.
    vi.spyOn(chat.services.messages, 'loadView').mockRejectedValueOnce(SECRET).mockRejectedValueOnce(SECRET);
    const log = vi.spyOn(chat.services.log, 'error');
    const { errors, message } = await chat.say('Hello?');
    expect(errors).toEqual([INTERNAL]);
    expect(message.metadata?.status).toBe('failed');
    const [user, answer] = await chat.messages();
    expect(answer).toMatchObject({ status: 'failed', error: INTERNAL });
    expect(await chat.services.turns.find(user!.turnId!)).toMatchObject({ status: 'failed', error: INTERNAL });
    expect(log).toHaveBeenCalledWith({ err: SECRET }, `Turn ${user!.turnId} failed`);
  });

  it('that prevents even storing the error ends the turn immediately, and the queue continues', async () => {
    const call = toolCall('c1', 'get_settings', '{}');
    const held = heldStep(...textBlock('t', 'Let me see.'), ...call);
    await using chat = await startScriptedChat([held.step, says('Here I am.')]);
    breakWrites(
      chat,
      (name, [, changes]) => name === 'updatePart' && (changes as { state?: string }).state === 'running',
      { forGood: true },
    );
    const log = vi.spyOn(chat.services.log, 'error');
    const said = chat.say('Hello?');
    await held.said;
    await chat.enqueue('And now?');
    held.end();
    const { message, errors } = await said;
    expect(errors).toEqual([NOT_STORED]);
    expect(message.metadata?.status).toBe('failed');
    await chat.services.chat.idle();

    const [user, answer, results, next, last] = await chat.messages();
    const turnId = user!.turnId!;
    expect(answer?.parts).toMatchObject([{ state: 'completed' }, { type: 'tool-call', state: 'error' }]);
    expect(results?.parts).toMatchObject([{ state: 'error', content: { toolCallId: 'c1' } }]);
    expect(await chat.services.turns.find(turnId)).toMatchObject({ status: 'failed', error: NOT_STORED });
    const end = await firstEvent(chat, 'turn:end');
    expect(end?.data).toMatchObject({ turnId, status: 'failed', error: NOT_STORED });
    expect(log).toHaveBeenCalledWith({ err: SECRET }, `Turn ${turnId} failed`);
    expect([next?.parts[0]?.content, last?.parts[0]?.content]).toEqual([{ text: 'And now?' }, { text: 'Here I am.' }]);
  });

  it('in the last words of a turn fails it like any other', async () => {
    const steps = [...toolCall('c1', 'get_settings', '{}'), finish('tool-calls')];
    await using chat = await startScriptedChat([steps, says('Never said')], { MAX_STEPS: '1' });
    breakWrites(chat, (name, [, draft]) => name === 'append' && (draft as { role: string }).role === 'user');
    const log = vi.spyOn(chat.services.log, 'error');
    expect((await chat.say('Hello?')).errors).toEqual([NOT_STORED]);
    const [user] = await chat.messages();
    expect(await chat.services.turns.find(user!.turnId!)).toMatchObject({ status: 'failed' });
    expect(log).toHaveBeenCalledWith({ err: SECRET }, `Turn ${user!.turnId} failed`);
  });

  const REPLACED = new StoreUnavailableError(serverText('database-replaced'));

  it('does not deny stored text when the database is replaced after parts of the answer', async () => {
    await using chat = await startScriptedChat([listPages, says('None.')]);
    breakWrites(chat, (name) => name !== 'append', { forGood: true, error: REPLACED });
    const log = vi.spyOn(chat.services.log, 'error');
    const { errors } = await chat.say('Which pages?');
    expect(errors).toEqual([NOT_STORED]);
    expect((await chat.messages()).length).toBeGreaterThan(1);
    expect(log).toHaveBeenCalledWith({ err: REPLACED }, expect.stringContaining('failed'));
  });

  it('names the known problem of the database', async () => {
    await using chat = await startScriptedChat([listPages, says('None.')]);
    const error = new StoreUnavailableError(serverText('database-replaced'), { reason: serverText('database-gone') });
    breakWrites(chat, (name) => name !== 'append', { forGood: true, error });
    expect((await chat.say('Which pages?')).errors).toEqual([
      expect.stringContaining('could not be stored in full: the database file was deleted or replaced. Words'),
    ]);
  });

  it.each([REPLACED, databaseBusy(1)])('nor where a compaction in its middle meets that: %s', async (error) => {
    await using chat = await startScriptedChat([says('Never said')]);
    vi.spyOn(chat.services.messages, 'loadView').mockRejectedValue(error);
    expect((await chat.say('Hello?')).errors).toEqual([NOT_STORED]);
  });

  it('in the middle of a text leaves nothing open', async () => {
    await using chat = await startScriptedChat([says('All of it')]);
    breakWrites(chat, (name) => name === 'updatePart');
    const { errors } = await chat.say('Hello?');
    expect(errors).toEqual([NOT_STORED]);
    expect((await chat.messages())[1]).toMatchObject({
      status: 'failed',
      error: NOT_STORED,
      parts: [{ type: 'text', state: 'completed' }],
    });
  });
});

describe('a turn whose provider fails', () => {
  it('repeats a refused request, and nothing appears twice', async () => {
    await using chat = await startScriptedChat([busy, listPages, busy, busy, says('None.')]);
    const { message, errors } = await chat.say('Which pages?');
    expect(errors).toEqual([]);
    expect(message.parts.map((part) => part.type)).toEqual(['step-start', 'tool-list_content', 'step-start', 'text']);
    const { items } = await chat.services.messages.list(chat.session.id);
    expect(items.map(({ role, status }) => [role, status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'complete'],
      ['tool', 'complete'],
      ['assistant', 'complete'],
    ]);
    expect(chat.requests.map(({ prompt }) => prompt.length)).toEqual([2, 2, 4, 4, 4]);
  });

  it('gives up after two retries, reports why, and continues with the next message', async () => {
    await using chat = await startScriptedChat([busy, busy, busy, says('Here I am.')]);
    const { errors, message } = await chat.say('Hello?');
    expect(errors).toEqual([expect.stringContaining('asks for a pause')]);
    expect(message.metadata?.status).toBe('failed');
    expect(chat.requests).toHaveLength(3);
    expect((await chat.services.messages.list(chat.session.id)).items.at(-1)).toMatchObject({
      status: 'failed',
      error: errors[0],
    });
    expect((await chat.say('And now?')).errors).toEqual([]);
  });

  it('tells for how long a provider is waited for that asks for a pause', async () => {
    await using chat = await startScriptedChat([busy, says('Hello.')]);
    const { chunks, message } = await chat.say('Hello?');
    const told = chunks.filter(({ type }) => type === 'data-waiting');
    expect(told).toEqual([{ type: 'data-waiting', data: { retryAfterMs: 1 }, transient: true }]);
    expect(message.parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Hello.' }]);
  });

  it('does not run the calls of an answer that broke off, and answers them', async () => {
    const create = toolCall('c1', 'create_content', '{"type":"page","title":"Half"}');
    const dropped: ScriptedStep = [...create, { type: 'error', error: new Error('The provider is gone.') }];
    await using chat = await startScriptedChat([dropped, says('Where were we?')]);
    const { message } = await chat.say('Make a page');
    expect(message.parts.at(-1)).toMatchObject({
      state: 'output-error',
      errorText: expect.stringContaining('Not run'),
    });
    expect((await chat.services.builtIn.content.query({ type: 'page' })).total).toBe(0);
    const [, call] = (await chat.services.messages.list(chat.session.id)).items;
    expect(call).toMatchObject({ status: 'failed', error: expect.any(String), parts: [{ state: 'error' }] });
  });
});

describe('a turn', () => {
  it('tells the model what was wrong with a call, with its input as an object in every case', async () => {
    const wrong = [...toolCall('c1', 'get_settings', '{"unfinished'), ...toolCall('c2', 'fly', '[1]')];
    await using chat = await startScriptedChat([[...wrong, finish('tool-calls')], says('Sorry.')]);
    const { errors } = await chat.say('Go');
    expect(errors).toEqual([]);
    const [assistant, tool] = chat.requests[1]?.prompt.slice(-2) ?? [];
    expect(assistant?.content).toMatchObject([
      { toolName: 'get_settings', input: { input: '{"unfinished' } },
      { toolName: 'fly', input: { input: [1] } },
    ]);
    expect(tool?.content).toMatchObject([
      { toolCallId: 'c1', output: { type: 'error-text', value: expect.stringContaining('Invalid input') as string } },
      { toolCallId: 'c2', output: { type: 'error-text', value: 'There is no tool "fly".' } },
    ]);
  });

  it('ends at its step limit with every call answered, after a last word without tools', async () => {
    const steps = [1, 2].map((n) => [...toolCall(`c${n}`, 'get_settings', '{}'), finish('tool-calls')]);
    await using chat = await startScriptedChat([...steps, says('Read twice, nothing left.')], { MAX_STEPS: '2' });
    const { errors, message } = await chat.say('Go on and on');
    expect(errors).toEqual(['Stopped after 2 steps. Say "continue" to go on.']);
    expect(chat.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['auto', 'auto', 'none']);
    const told = chat.requests[2]?.prompt.at(-1);
    expect(told?.role).toBe('user');
    expect(JSON.stringify(told?.content)).toContain('2 steps are used up');
    expect(message.parts.filter((part) => 'state' in part && part.state === 'output-available')).toHaveLength(2);
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: 'Read twice, nothing left.' });
    const stored = await chat.services.transcript(chat.session.id);
    expect(stored[1]).toMatchObject({ metadata: { status: 'complete', error: errors[0] } });
    expect(visibleParts(stored[1]!)).toEqual(visibleParts(message));
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
  });
});
