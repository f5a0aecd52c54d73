import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerText, say } from '#tests/support/chat-client';
import { startCompletionsServer } from '#tests/support/completions-server';
import {
  chunk,
  startModelServer,
  type ServerAnswer,
  type ServerChat,
  saysText,
  startServerChat,
} from '#tests/support/model-server';

/*
 * Streams whose events have fields of unexpected types, as servers of others were reported to send them
 * (tests/fixtures/model-servers/streams.json), and variations of them.
 */

const streams = JSON.parse(readFileSync('tests/fixtures/model-servers/streams.json', 'utf8')) as Record<string, string>;

const MODELS = ['local/m', 'openai/gpt-4o'] as const;
const DONE = 'data: [DONE]\n\n';
const END = chunk({}, 'stop') + DONE;
const CALL = { name: 'list_content', arguments: '{"type":"page"}' };
const raw = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const hello = chunk({ content: 'Hello there' });

/** Each says "Hello there". */
const TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(streams).filter(([, sse]) => sse.includes('Hello there'))),
  'choices as an object': raw({ choices: { delta: { content: 'Hello there' } } }) + END,
  'an empty error': hello + raw({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], error: {} }) + DONE,
  'an error of false': raw({ choices: [{ delta: { content: 'Hello there' } }], error: false }) + END,
  'content in parts':
    chunk({
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'text', text: ' there' },
      ],
    }) + END,
  'a text in the place of a delta': raw({ choices: [{ index: '0', text: 'Hello there' }] }) + END,
  'a message in the place of a delta': raw({ choices: [{ message: { role: 'ai', content: 'Hello there' } }] }) + END,
  'a list, a number and a text as events': `data: []\n\ndata: 7\n\ndata: "ok"\n\n${hello}${END}`,
  'Windows line ends': (hello + END).replaceAll('\n', '\r\n'),
  'data over two lines': `data: {"choices":[{"delta":\ndata: {"content":"Hello there"}}]}\n\n${END}`,
  'null in every field':
    raw({ id: null, created: null, model: null, usage: null, choices: [{ delta: null }] }) + hello + END,
  'an empty reason on every chunk': chunk({ content: 'Hello there' }, '') + chunk({}, 'stop') + chunk({}, '') + DONE,
  'counts that are no numbers':
    hello + chunk({}, 'stop', { usage: { prompt_tokens: 'many', completion_tokens: null } }) + DONE,
  'details of null':
    hello +
    chunk({}, 'stop', {
      usage: { prompt_tokens: 9, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: null } },
    }) +
    DONE,
  'a time as text':
    raw({ created: '1700000000', choices: [{ delta: { content: 'Hello there' }, logprobs: [] }] }) + END,
  'a refusal of false and tool_calls of null':
    chunk({ content: 'Hello there', refusal: false, tool_calls: null }) + END,
};

/** Each makes one call of list_content with {"type":"page"}. */
const CALLS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(streams).filter(([, sse]) => sse.includes('list_content'))),
  'arguments in pieces, the name with each':
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'list_content', arguments: '{"type"' } }] }) +
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'list_content', arguments: ':"page"}' } }] }),
  'another id with each piece':
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'list_content', arguments: '' } }] }) +
    chunk({ tool_calls: [{ index: 0, id: 'b', function: { arguments: '{"type":' } }] }) +
    chunk({ tool_calls: [{ index: 0, id: 'c', function: { arguments: '"page"}' } }] }),
  'without an index':
    chunk({ tool_calls: [{ id: 'a', function: { name: 'list_content' } }] }) +
    chunk({ tool_calls: [{ function: { arguments: '{"type":"page"}' } }] }),
  'an object in the place of the list': chunk({ tool_calls: { id: 7, type: null, function: CALL } }),
  'the call once more at the end':
    chunk({ tool_calls: [{ index: 0, id: 'a', function: CALL }] }) +
    chunk({ tool_calls: [{ index: 0, id: 'a', function: CALL }] }),
  'the format before tool_calls': chunk({ function_call: CALL }),
  'arguments inside a string': chunk({
    tool_calls: [{ index: 0, id: 'a', function: { ...CALL, arguments: JSON.stringify(CALL.arguments) } }],
  }),
  'an empty object before the arguments':
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'list_content', arguments: {} } }] }) +
    chunk({ tool_calls: [{ index: 0, function: { arguments: CALL.arguments } }] }),
  'an empty object as text before the arguments':
    chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'list_content', arguments: '{}' } }] }) +
    chunk({ tool_calls: [{ index: 0, function: { arguments: CALL.arguments } }] }),
  'as text, as gpt-oss writes it':
    chunk({ content: '<|channel|>commentary to=functions.list' }) +
    chunk({ content: '_content <|constrain|>json<|message|>{"type":"page"}<|call|>' }),
  'as text, with the recipient in the role': chunk({
    content:
      '<|channel|>analysis<|message|>Look.<|end|><|start|>assistant to=functions.list_content<|channel|>commentary json<|message|>{"type":"page"}',
  }),
  'as text, as DeepSeek V3 writes it': chunk({
    content:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>list_content\n```json\n{"type":"page"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  }),
  'as text, as DeepSeek V3.1 writes it': chunk({
    content:
      'Let me look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>list_content<｜tool▁sep｜>{"type":"page"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  }),
  'as text, as DeepSeek V3.2 writes it': chunk({
    content:
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="list_content">\n<｜DSML｜parameter name="type" string="true">page</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  }),
};

describe.each(MODELS)('odd events of a stream, for %s', (model) => {
  let chat: ServerChat;
  let answers: ServerAnswer[] = [];
  beforeAll(async () => {
    chat = await startServerChat({ answer: () => answers.shift() }, { model, env: { CONTEXT_WINDOW: '32000' } });
  });
  afterAll(() => chat[Symbol.asyncDispose]());

  /** A new conversation whose model gives these answers in turn. */
  async function chatOf(...next: readonly ServerAnswer[]) {
    answers = [...next];
    const { services, server } = chat;
    const former = server.bodies.length;
    const session = await services.sessions.create({ ownerId: 'own_local' });
    return { services, session, bodies: () => server.bodies.slice(former) };
  }

  it.each(Object.entries(TEXTS))('keep the whole answer: %s', async (_, sse) => {
    const { services, session } = await chatOf({ sse });
    const answer = await say(services, session.id, 'Hello?');
    expect(answerText(answer)).toBe('Hello there');
    expect(answer.metadata?.status).toBe('complete');
  });

  it.each(Object.entries(CALLS))('run a call once: %s', async (_, sse) => {
    const ended = sse.includes('[DONE]') ? sse : sse + chunk({}, 'tool_calls') + DONE;
    const { services, session, bodies } = await chatOf({ sse: ended }, saysText('Two pages.'));
    const answer = await say(services, session.id, 'Which pages?');
    expect(answerText(answer)).toMatch(/Two pages\.$/);
    expect(answerText(answer)).not.toContain('<');
    const calls = answer.parts.flatMap((part) => ('toolCallId' in part ? [part] : []));
    expect(calls).toMatchObject([{ type: 'tool-list_content', input: { type: 'page' }, state: 'output-available' }]);
    expect(bodies()).toHaveLength(2);
  });

  it.each([
    [
      'one id',
      [
        { index: 0, id: 'x', function: CALL },
        { index: 1, id: 'x', function: { ...CALL, arguments: '{"type":"post"}' } },
      ],
    ],
    [
      'one index',
      [
        { index: 0, id: 'x', function: CALL },
        { index: 0, id: 'y', function: { ...CALL, arguments: '{"type":"post"}' } },
      ],
    ],
    [
      'one id and one index',
      [
        { index: 0, id: 'x', function: CALL },
        { index: 0, id: 'x', function: { ...CALL, arguments: '{"type":"post"}' } },
      ],
    ],
    ['neither', [{ function: CALL }, { function: { ...CALL, arguments: '{"type":"post"}' } }]],
  ])('run both of two calls that have %s', async (_, calls) => {
    const sse = calls.map((call) => chunk({ tool_calls: [call] })).join('') + chunk({}, 'tool_calls') + DONE;
    const { services, session, bodies } = await chatOf({ sse }, saysText('Done.'));
    const answer = await say(services, session.id, 'Which?');
    const done = answer.parts.flatMap((part) => ('toolCallId' in part ? [part] : []));
    expect(done).toMatchObject([
      { input: { type: 'page' }, state: 'output-available' },
      { input: { type: 'post' }, state: 'output-available' },
    ]);
    const [called] = bodies()[1]!.messages.filter(({ tool_calls: made }) => made);
    const results = bodies()[1]!.messages.filter(({ role }) => role === 'tool');
    expect(new Set(results.map(({ tool_call_id: id }) => id))).toEqual(
      new Set(called!.tool_calls!.map(({ id }) => id)),
    );
    expect(results).toHaveLength(2);
  });

  it.each([
    ['one id', { id: 'x', function: CALL }],
    ['no id', { function: CALL }],
  ])('run both of two equal calls of one chunk that have %s', async (_, call) => {
    const sse = chunk({ tool_calls: [call, call] }) + chunk({}, 'tool_calls') + DONE;
    const { services, session } = await chatOf({ sse }, saysText('Done.'));
    const answer = await say(services, session.id, 'Which?');
    expect(answer.parts.filter((part) => 'toolCallId' in part)).toHaveLength(2);
  });

  it.each(['null', '"null"', '""', ''])('read arguments written as %j as none', async (written) => {
    const call = { index: 0, id: 'x', function: { name: 'get_settings', arguments: written } };
    const sse = chunk({ tool_calls: [call] }) + chunk({}, 'tool_calls') + DONE;
    const { services, session } = await chatOf({ sse }, saysText('Done.'));
    const answer = await say(services, session.id, 'What is there?');
    const [made] = answer.parts.flatMap((part) => ('toolCallId' in part ? [part] : []));
    expect(made).toMatchObject({ input: {} });
  });

  it('pass on an error without choices, in any form', async () => {
    for (const sse of [
      'event: error\ndata: {"message":"The disk is full."}\n\n',
      raw({ object: 'error', message: 'The disk is full.' }),
      'event: error\ndata: The disk is full.\n\n',
    ]) {
      const { services, session } = await chatOf({ sse }, { sse }, { sse });
      await expect(say(services, session.id, 'Hello?')).rejects.toThrow(/The disk is full/);
    }
  });
});

it('reach a client of /v1 up to [DONE], for any events of the server', async () => {
  let sse = '';
  await using server = await startModelServer({ answer: () => ({ sse }) });
  await using ours = await startCompletionsServer({
    respond: () => ({ text: '' }),
    env: { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl },
  });
  const ask = async () => {
    const response = await fetch(`${ours.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'local/m',
        stream: true,
        messages: [{ role: 'user', content: 'Hello?' }],
        tools: [{ type: 'function', function: { name: 'list_content', parameters: { type: 'object' } } }],
      }),
    });
    return { status: response.status, text: await response.text() };
  };
  for (const [name, body] of Object.entries(streams)) {
    sse = body;
    const answered = await ask();
    expect([name, answered.status, answered.text.endsWith('data: [DONE]\n\n')]).toEqual([name, 200, true]);
    expect(answered.text).toContain(body.includes('Hello there') ? 'Hello there' : 'list_content');
  }
});
