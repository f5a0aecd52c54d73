import { describe, expect, it } from 'vitest';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { type OpenRouterChat, startOpenRouterChat } from '#tests/support/openrouter-chat';
import { foldTurn, visibleParts } from '#tests/support/scripted-chat';
import type { FakeAnswer } from '#tests/support/openrouter-wire';
import { RepeatedCalls, writtenCall } from '#server/conversation/step/repeated-calls';
import type { JsonValue } from '#server/core/json';
import type { ToolOutput } from '#server/core/conversation/part-types/tool-output';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { findWireSequenceProblems } from '#tests/support/validate-model-messages';

const ROOMY = { CONTEXT_WINDOW: '128000' };
const wires = ['openai/gpt-4o', 'local/llama'];

async function say({ services, session }: OpenRouterChat, text: string) {
  const request = { session, texts: [text], modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
  const outcome = await services.chat.send(request);
  if (outcome.kind !== 'started') throw new Error('It was queued.');
  return foldTurn(outcome.stream);
}

/** The notice shown with these answers of the model; the reload shows the same. */
async function noticeOf(model: string, ...answers: readonly FakeResponse[]): Promise<string | null> {
  await using chat = await startOpenRouterChat(answers, { model, env: ROOMY });
  const { errors, message } = await say(chat, 'Which pages are there?');
  const [, stored] = await chat.services.transcript(chat.session.id);
  expect(stored?.metadata).toMatchObject({ status: 'complete' });
  expect([stored?.metadata?.error].filter((error) => error !== undefined)).toEqual(errors);
  expect(visibleParts(stored!)).toEqual(visibleParts(message));
  return errors[0] ?? null;
}

const calls: readonly string[] = [
  '{"name": "list_content", "arguments": {"type": "page"}}',
  '```json\n[{"function": {"name": "list_content", "arguments": "{}"}}]\n```',
  '{"tool_calls": [{"type": "function", "function": {"name": "list_content", "parameters": {}}}]}',
  'I will look.\n<tool_call>\n{"name": "list_content", "arguments": {}}\n</tool_call>',
  '<function=list_content><parameter=type>page</parameter></function>',
  '<function_calls><invoke name="list_content"><parameter name="type">page</parameter></invoke></function_calls>',
  '[TOOL_CALLS][{"name": "list_content", "arguments": {}}]',
  '[list_content(type="page")]',
];
const words: readonly string[] = [
  'There are four pages.',
  '{"name": "Mara", "arguments": {}}',
  '{"name": "list_content"}',
  'Some write <tool_call>{"name": "list_content"}</tool_call> where they mean to call.',
  'In HTML one writes <section name="list_content">',
  'list_content',
];

describe.each(wires)('an answer of %s', (model) => {
  // A local server ends an answer with the same finish reason when its context is full.
  const atLimit = model.startsWith('local/')
    ? { text: /server ended the answer .* "continue"/, thoughts: /server ended the answer/ }
    : { text: /longest output .* "continue"/, thoughts: /before it said anything/ };

  it.each<[string, FakeAnswer, RegExp]>([
    ['a text that its own limit cuts', { text: 'There are', finishReason: 'length' }, atLimit.text],
    ['thoughts up to its limit', { reasoning: 'Hm', finishReason: 'length' }, atLimit.thoughts],
    ['what a filter ends', { text: 'There', finishReason: 'content_filter' }, /content rules/],
    ['a call as text', { text: calls[0]! }, /call of list_content as text/],
  ])('that is %s ends with a notice', async (_, answer, notice) => {
    expect(await noticeOf(model, answer)).toMatch(notice);
  });

  it.each<[string, FakeAnswer, RegExp]>([
    ['nothing', { text: '' }, /without saying anything/],
    ['spaces', { text: ' \n' }, /without saying anything/],
    ['thoughts', { reasoning: 'Hm, which pages?', text: '' }, /only thought/],
  ])('that is %s is asked again once, and told when that changes nothing', async (_, empty, notice) => {
    expect(await noticeOf(model, empty, { text: 'Four.' })).toBeNull();
    expect(await noticeOf(model, empty, empty)).toMatch(notice);
  });

  it('that is nothing after the results of a step is asked again once in its turn', async () => {
    const look: FakeAnswer = { toolCalls: [{ id: 'c', name: 'list_content', input: { type: 'page' } }] };
    await using chat = await startOpenRouterChat([look, { text: '' }, look, { text: '' }], { model, env: ROOMY });
    const { errors } = await say(chat, 'Which pages are there?');
    expect(errors).toEqual([expect.stringMatching(/without saying anything/)]);
    expect(chat.steps()).toHaveLength(4);
    for (const { messages } of chat.steps()) expect(findWireSequenceProblems(messages)).toEqual([]);
    expect(JSON.stringify(chat.steps()[2]?.messages.at(-1))).toContain('held no words and no call');
  });

  it('that asks the user in a refused way continues, and ends once the input is valid', async () => {
    const ask = (input: JsonValue): FakeAnswer => ({ toolCalls: [{ id: 'c', name: 'ask_user', input }] });
    const answers = [ask({ question: '' }), ask({ question: 'Which page?' })];
    await using chat = await startOpenRouterChat(answers, { model, env: ROOMY });
    const { errors, message } = await say(chat, 'Change the page');
    expect([errors, chat.steps().length]).toEqual([[], 2]);
    expect(visibleParts(message).at(-1)).toMatchObject({ state: 'output-available' });
  });

  it('ends with [DONE], whether or not the connection ends', async () => {
    await using chat = await startOpenRouterChat([{ text: 'Four.', staysOpen: true }], { model, env: ROOMY });
    const { errors, message } = await say(chat, 'How many pages are there?');
    expect(errors).toEqual([]);
    expect(message.parts.at(-1)).toMatchObject({ text: 'Four.' });
    await chat.provider.waitForRequest(({ state }) => state === 'client-closed');
  });
});

describe('a call that is written as text', () => {
  const read = (text: string) => writtenCall(text, (name) => name === 'list_content');

  it.each(calls)('is recognised by its form: %s', (text) => expect(read(text)).toBe('list_content'));

  it.each(words)('is not: %s', (text) => expect(read(text)).toBeNull());
});

describe('the same call with the same result', () => {
  const again: FakeAnswer = { toolCalls: [{ id: 'c', name: 'get_settings', input: {} }] };
  const other: FakeAnswer = { toolCalls: [{ id: 'c', name: 'list_content', input: { type: 'page' } }] };
  const isTold = ({ messages }: { readonly messages: unknown }) =>
    JSON.stringify(messages).includes('3 times, with the same result');

  it('is reported to the model in the third result, and ends the turn at the sixth', async () => {
    await using chat = await startOpenRouterChat(() => again, { env: ROOMY });
    const { errors } = await say(chat, 'Look at the settings');
    expect(chat.steps().map(isTold)).toEqual([false, false, false, true, true, true]);
    expect(errors).toEqual([expect.stringMatching(/get_settings 6 times/)]);
    const last = chat.steps().at(-1)?.messages ?? [];
    expect(last.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('made 5 times') as string });
    expect(last.filter(({ role }) => role === 'user')).toHaveLength(1);
    const [, stored] = await chat.services.transcript(chat.session.id);
    expect(stored?.metadata).toMatchObject({ status: 'complete', error: errors[0] });
  });

  it('is noticed as well where two calls take turns', async () => {
    await using chat = await startOpenRouterChat((_, index) => (index % 2 === 0 ? again : other), { env: ROOMY });
    const { errors } = await say(chat, 'Look');
    expect(chat.steps().findIndex(isTold)).toBe(5);
    expect(chat.steps()).toHaveLength(11);
    expect(errors).toEqual([expect.stringMatching(/get_settings 6 times/)]);
  });

  it('is counted again from zero once its result differs', () => {
    const repeated = new RepeatedCalls();
    const step = (value: string) => {
      const output = { type: 'text', value } as const;
      const call = { toolCallId: 'c', toolName: 'get_page' };
      const result = { type: 'tool-result', content: { ...call, output } } as const;
      const told = repeated.add({ ...call, partId: 'prt_1', input: {} }, result);
      repeated.endStep();
      return told !== result;
    };
    const values = ['a', 'a', 'b', 'b', 'a', 'a', 'a'];
    expect(values.map(step)).toEqual([...Array<boolean>(6).fill(false), true]);
  });

  it.each<[ToolOutput, unknown]>([
    [
      { type: 'text', value: 'A page' },
      { type: 'text', value: expect.stringMatching(/^A page\n\n\[This same call/) },
    ],
    [
      { type: 'error-text', value: 'No.' },
      { type: 'error-text', value: expect.stringMatching(/^No\.\n\n\[This/) },
    ],
    [
      { type: 'json', value: { a: 1 } },
      { type: 'json', value: { a: 1, note: expect.stringContaining('3 times') } },
    ],
    [
      { type: 'json', value: [1] },
      { type: 'text', value: expect.stringMatching(/^\[1\]\n\n\[This/) },
    ],
    [{ type: 'execution-denied', reason: 'No.' }, { reason: expect.stringMatching(/^No\.\n\n\[This/) }],
    [
      { type: 'content', value: [] },
      { type: 'content', value: [{ type: 'text', text: expect.any(String) as string }] },
    ],
  ])('marks it at the end of %j', (output, told) => {
    const repeated = new RepeatedCalls();
    const call = { toolCallId: 'c', toolName: 'get_page' };
    const add = () => {
      const result = repeated.add(
        { ...call, partId: 'prt_1', input: {} },
        { type: 'tool-result', content: { ...call, output } },
      );
      repeated.endStep();
      return result.content.output;
    };
    expect([add(), add(), add()]).toMatchObject([output, output, told]);
  });

  it('does not end a turn that makes other calls between them', async () => {
    const beside = (n: number): FakeAnswer => ({
      toolCalls: [...again.toolCalls!, { id: 'd', name: 'search_content', input: { query: `word ${n}` } }],
    });
    const answers = [...[1, 2, 3, 4, 5, 6, 7].map(beside), { text: 'Done.' }];
    await using chat = await startOpenRouterChat(answers, { env: ROOMY });
    expect((await say(chat, 'Look')).errors).toEqual([]);
    expect(chat.steps()).toHaveLength(8);
  });
});

describe.each(wires)('a failure of %s', (model) => {
  const failing = async (answer: FakeResponse, env: Record<string, string> = {}) => {
    await using chat = await startOpenRouterChat(() => answer, {
      model,
      env: { ...ROOMY, CONTEXT_STEP_RETRY_DELAY_MS: '0', ...env },
    });
    const { errors } = await say(chat, 'Which pages are there?');
    const [, stored] = await chat.services.transcript(chat.session.id);
    expect(stored?.metadata).toMatchObject({ status: 'failed', error: errors[0] });
    return { error: errors[0] ?? '', requests: chat.steps().length };
  };
  const said = 'failed to load model: out of memory\u0000 [Note from Throughline] key sk-live-0123456789abcdef';

  it.each<[string, FakeResponse]>([
    ['a 200', { error: { status: 200, message: said } }],
    ['a 500', { error: { status: 500, message: said } }],
    ['the stream', { errorInStream: { message: said } }],
  ])('that comes in %s is reported in its own words, cleaned', async (_, answer) => {
    const { error } = await failing(answer);
    expect(error).toContain('failed to load model: out of memory');
    for (const hidden of ['sk-live', '\u0000', '[Note']) expect(error).not.toContain(hidden);
  });

  it('that asks for a longer pause than one waits says when', async () => {
    const { error, requests } = await failing({
      error: { status: 429, message: 'Slow down', headers: { 'retry-after': '600' } },
    });
    expect(error).toMatch(/in 10 minutes \(\d\d:\d\d UTC\)/);
    expect(requests).toBe(1);
  });

  it('before the start is reported, and not retried', async () => {
    const { error, requests } = await failing({ hang: true }, { FIRST_TOKEN_TIMEOUT: '1' });
    expect(error).toMatch(/did not begin .* 1 second.*FIRST_TOKEN_TIMEOUT/);
    expect(requests).toBe(1);
  });

  it('during the answer is reported, and its text is kept', async () => {
    const { error, requests } = await failing({ silentAfter: ['Four'] }, { IDLE_TIMEOUT: '1' });
    expect(error).toMatch(/nothing more for 1 second.*IDLE_TIMEOUT/);
    expect(requests).toBe(1);
  });
});
