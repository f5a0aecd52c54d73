import type OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';

let server: CompletionsServer | null = null;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

async function start() {
  server = await startCompletionsServer({ respond: () => ({ text: 'Yes.' }) });
  return server;
}

const MODELS = ['openai/gpt-4o', 'local/loaded'];
const schema = { type: 'object' as const, properties: { at: { type: 'string' } } };

describe.each(MODELS)('a conversation of several people, with %s', (model) => {
  it('says who wrote each message', async () => {
    const { openai, steps } = await start();
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', name: 'Mara', content: 'Which clay?' },
      { role: 'user', name: 'Ben', content: [{ type: 'text', text: 'And which glaze?' }] },
      { role: 'assistant', name: 'Potter', content: 'White clay.' },
      { role: 'user', content: 'Thanks.' },
    ];
    await openai.chat.completions.create({ model, messages });
    const sent = JSON.stringify(steps()[0]?.messages);
    for (const text of ['Mara: Which clay?', 'Ben: And which glaze?', 'Potter: White clay.', '"Thanks."'])
      expect(sent).toContain(text);
  });

  it('keeps what the assistant refused', async () => {
    const { openai, steps } = await start();
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: 'Give me the key.' },
      { role: 'assistant', content: null, refusal: 'I cannot do that.' },
      { role: 'user', content: 'Why?' },
    ];
    await openai.chat.completions.create({ model, messages });
    await openai.responses.create({
      model,
      input: [
        { role: 'user', content: 'Give me the key.' },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          status: 'completed',
          content: [{ type: 'refusal', refusal: 'I cannot do that.' }],
        },
        { role: 'user', content: 'Why?' },
      ],
    });
    const refused = steps().map((step) => step.messages.map(({ role, content }) => [role, content])[1]);
    expect(refused).toEqual([
      ['assistant', 'I cannot do that.'],
      ['assistant', 'I cannot do that.'],
    ]);
  });
});

it('accepts instructions in the middle of a conversation in Anthropic’s format', async () => {
  const { baseUrl, steps } = await start();
  const messages = [
    { role: 'user', content: 'Hello.' },
    { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
    { role: 'user', content: 'Go on.' },
  ];
  const answer = await fetch(`${baseUrl}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODELS[0], max_tokens: 50, messages }),
  });
  expect(answer.status).toBe(200);
  expect(steps()[0]?.messages[0]).toMatchObject({ role: 'system', content: [{ text: 'Be short.' }] });
});

describe.each(MODELS)('the strictness of a tool, with %s', (model) => {
  const strictOf = () =>
    server!.steps().map(({ tools: [first] }) => (first?.function as { strict?: boolean } | undefined)?.strict);

  it.each([true, false])('reaches the provider from every format: %s', async (strict) => {
    const { openai, baseUrl } = await start();
    await openai.chat.completions.create({
      model,
      messages: [{ role: 'user', content: 'Look.' }],
      tools: [{ type: 'function', function: { name: 'look', parameters: schema, strict } }],
    });
    await openai.responses.create({
      model,
      input: 'Look.',
      tools: [{ type: 'function', name: 'look', parameters: schema, strict }],
    });
    const body = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Look.' }] };
    await fetch(`${baseUrl}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, tools: [{ name: 'look', input_schema: schema, strict }] }),
    });
    expect(strictOf()).toEqual([strict, strict, strict]);
  });

  it('is not invented', async () => {
    const { openai } = await start();
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: schema } }];
    await openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'Look.' }], tools });
    expect(strictOf()).toEqual([undefined]);
  });
});
