import { APICallError } from 'ai';
import { describe, expect, it } from 'vitest';
import { startScriptedChat } from '#tests/support/scripted-chat';
import { type ScriptedStep, finish, says, textBlock, toolCall } from '#tests/support/scripted-model';

function httpError(statusCode: number, responseHeaders: Record<string, string> = {}): APICallError {
  const request = { url: 'http://provider.test', requestBodyValues: {} };
  return new APICallError({ ...request, message: 'Provider says no', statusCode, responseHeaders });
}

const busy = httpError(429, { 'retry-after-ms': '1' });
const listPages = [...toolCall('c1', 'list_content', '{"type":"page"}'), finish('tool-calls')];

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

  it('gives up after two repetitions, says why, and goes on with the next message', async () => {
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

  it('does not wait for a provider that asks for a pause of minutes', async () => {
    await using chat = await startScriptedChat([httpError(429, { 'retry-after': '600' }), says('Late.')]);
    const { errors } = await chat.say('Hello?');
    expect(errors).toHaveLength(1);
    expect(chat.requests).toHaveLength(1);
  });

  it('repeats an empty answer', async () => {
    const empty: ScriptedStep = [{ type: 'text-start', id: 't' }, finish('stop', null)];
    await using chat = await startScriptedChat([empty, says('Hello.')]);
    const { message } = await chat.say('Hello?');
    expect(message.parts).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Hello.' }]);
    expect((await chat.services.messages.list(chat.session.id)).items).toHaveLength(2);
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
    expect((await chat.services.content.list({ type: 'page' })).total).toBe(0);
    const [, call] = (await chat.services.messages.list(chat.session.id)).items;
    expect(call).toMatchObject({ status: 'failed', error: expect.any(String), parts: [{ state: 'error' }] });
  });
});

describe('a turn', () => {
  it('tells the model what was wrong with a call, with its input as an object whatever it wrote', async () => {
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

  it('ends at its step limit with every call answered', async () => {
    const steps = [1, 2, 3].map((n) => [...toolCall(`c${n}`, 'get_settings', '{}'), finish('tool-calls')]);
    await using chat = await startScriptedChat(steps, { MAX_STEPS: '2' });
    const { errors, message } = await chat.say('Go on and on');
    expect(errors).toEqual([expect.stringContaining('Stopped after 2 steps')]);
    expect(chat.requests).toHaveLength(2);
    expect(message.parts.filter((part) => 'state' in part && part.state === 'output-available')).toHaveLength(2);
    expect(await chat.services.turns.running(chat.session.id)).toBeNull();
  });

  it('ends when the assistant asks the user', async () => {
    const ask = [...toolCall('c1', 'ask_user', '{"question":"Which page?"}'), finish('tool-calls')];
    await using chat = await startScriptedChat([ask, says('Home it is.')]);
    await chat.say('Change the page');
    expect(chat.requests).toHaveLength(1);
    const { message } = await chat.say('Home');
    expect(message.parts).toMatchObject([{ type: 'step-start' }, { text: 'Home it is.' }]);
  });

  it('remembers provider metadata of calls and sends it back', async () => {
    const providerMetadata = { openrouter: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] } };
    const call = {
      type: 'tool-call',
      toolCallId: 'c1',
      toolName: 'get_settings',
      input: '{}',
      providerMetadata,
    } as const;
    await using chat = await startScriptedChat([[...textBlock('t', 'Hm'), call, finish('tool-calls')], says('Done.')]);
    await chat.say('Go');
    const sent = chat.requests[1]?.prompt.find((message) => message.role === 'assistant');
    expect(sent?.content).toMatchObject([{ type: 'text' }, { toolCallId: 'c1', providerOptions: providerMetadata }]);
  });
});
