import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import type OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type CompletionsServer,
  type CompletionsServerOptions,
  startCompletionsServer,
} from '#tests/support/completions-server';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { colouredPicture } from '#tests/support/pictures';

let server: CompletionsServer | null = null;

/** A server, and a model of it as the AI SDK opens it by default. */
async function start(options: CompletionsServerOptions) {
  server = await startCompletionsServer(options);
  return { ...server, model: createOpenAI({ baseURL: server.baseUrl, apiKey: 'any' })('openai/gpt-4o') };
}

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

const MODEL = 'openai/gpt-4o';
const ask = (input: string) => ({ model: MODEL, input });
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

async function send(method: string, path: string, body?: object) {
  const response = await fetch(`${server!.baseUrl}${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const weather = (execute: (city: string) => string) => ({
  get_weather: tool({
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }),
    execute: ({ city }) => execute(city),
  }),
});

/** Two calls, then an answer. */
const calling: CompletionsServerOptions['respond'] = ({ messages }): FakeResponse =>
  messages.at(-1)?.role === 'tool'
    ? { text: 'Mild.' }
    : {
        reasoning: 'Two places.',
        text: 'I look.',
        toolCalls: [
          { id: 'call_1', name: 'get_weather', input: { city: 'Köln' } },
          { id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
        ],
      };

describe('POST /v1/responses with the official client', () => {
  it('answers as a whole', async () => {
    const { openai, steps } = await start({
      respond: () => ({ text: 'Clay first.', usage: { promptTokens: 40, completionTokens: 4, cachedTokens: 8 } }),
    });
    const response = await openai.responses.create({
      ...ask('What comes first?'),
      instructions: 'Be short.',
      temperature: 0.25,
      max_output_tokens: 300,
    });
    expect(response.output_text).toBe('Clay first.');
    expect(response).toMatchObject({ object: 'response', status: 'completed', model: MODEL, error: null, store: true });
    expect(response.usage).toMatchObject({
      input_tokens: 40,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 4,
      total_tokens: 44,
    });
    expect(steps()[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
        { role: 'user', content: 'What comes first?' },
      ],
      temperature: 0.25,
    });
  });

  it('streams numbered events from the first to the last, each item opened and closed', async () => {
    const { openai } = await start({ respond: calling });
    const tools: OpenAI.Responses.Tool[] = [
      { type: 'function', name: 'get_weather', parameters: { type: 'object' }, strict: false },
    ];
    const stream = await openai.responses.create({ ...ask('How is the weather?'), tools, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    expect(events[0]?.type).toBe('response.created');
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error(`The last event is ${last?.type}`);
    const of = (type: string) => events.filter((event) => event.type === type);
    expect(of('response.output_item.added')).toHaveLength(4);
    expect(of('response.output_item.done')).toHaveLength(4);
    expect(of('response.function_call_arguments.done')).toMatchObject([
      { arguments: '{"city":"Köln"}' },
      { arguments: '{"city":"Oslo"}' },
    ]);
    expect(last.response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Two places.' }] },
      { type: 'message', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'get_weather' },
      { type: 'function_call', call_id: 'call_2', name: 'get_weather' },
    ]);
  });

  it('continues a stored response, gives it back, and deletes it', async () => {
    const { openai, steps } = await start({ respond: ({ messages }) => ({ text: `Answer ${messages.length}.` }) });
    const first = await openai.responses.create(ask('My name is Mara.'));
    const second = await openai.responses.create({ ...ask('And now?'), previous_response_id: first.id });
    const third = await openai.responses.create({ ...ask('Who am I?'), previous_response_id: second.id });
    expect(
      steps()
        .at(-1)
        ?.messages.map(({ role, content }) => `${role}: ${JSON.stringify(content)}`),
    ).toEqual([
      'user: "My name is Mara."',
      'assistant: "Answer 1."',
      'user: "And now?"',
      'assistant: "Answer 3."',
      'user: "Who am I?"',
    ]);
    expect(await openai.responses.retrieve(third.id)).toMatchObject({ id: third.id, output: third.output });
    await openai.responses.delete(first.id);
    expect((await send('GET', `/responses/${first.id}`)).status).toBe(404);
    const after = (id: string) => send('POST', '/responses', { ...ask('Hi'), previous_response_id: id });
    expect((await after(first.id)).status).toBe(404);
    // Its beginning is gone.
    expect((await after(third.id)).status).toBe(404);
  });

  it('keeps the items of an answer whose request is too long to be stored', async () => {
    await start({ respond: () => ({ text: 'Yes.' }) });
    // A small picture in a large file.
    const file = Buffer.concat([await colouredPicture('#4a6fa5'), Buffer.alloc(800_000)]);
    const picture = { type: 'input_image', image_url: `data:image/png;base64,${file.toString('base64')}` };
    const input = [{ role: 'user', content: [picture, { type: 'input_text', text: 'Which colour?' }] }];
    const first = await send('POST', '/responses', { model: MODEL, input });
    expect(first.status, first.text).toBe(200);
    const { id, output } = JSON.parse(first.text) as { id: string; output: [{ id: string }] };
    const again = {
      model: MODEL,
      input: [
        { type: 'item_reference', id: output[0].id },
        { role: 'user', content: 'And?' },
      ],
    };
    expect((await send('POST', '/responses', again)).status).toBe(200);
    expect((await send('POST', '/responses', { ...ask('And?'), previous_response_id: id })).status).toBe(404);
  });

  it('does not store what the client forbids', async () => {
    const { openai } = await start({ respond: () => ({ text: 'Yes.' }) });
    const response = await openai.responses.create({ ...ask('Hello'), store: false });
    expect(response).toMatchObject({ store: false });
    expect((await send('GET', `/responses/${response.id}`)).status).toBe(404);
  });

  it('says that an answer was cut by its limit', async () => {
    const { openai } = await start({ respond: () => ({ text: 'One two', finishReason: 'length' }) });
    const response = await openai.responses.create({ ...ask('Count.'), max_output_tokens: 2 });
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  });
});

describe('POST /v1/responses with the AI SDK’s default model', () => {
  it('runs tools over several steps, although the client refers to earlier items', async () => {
    const { model, steps } = await start({ respond: calling });
    const tools = weather((city) => `Mild in ${city}`);
    const streamed = streamText({ model, prompt: 'How is the weather?', tools, stopWhen: stepCountIs(3) });
    expect(await streamed.text).toBe('Mild.');
    const sent = steps()[1]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(JSON.stringify(sent[1])).toContain('I look.');
    expect(sent[2]).toMatchObject({ tool_call_id: 'call_1', content: 'Mild in Köln' });
  });

  it('compacts what outgrows the window, once per round', async () => {
    const { model, steps, summaries } = await start({ respond: () => ({ text: 'Noted.' }) });
    const messages: ModelMessage[] = Array.from({ length: 40 }, (_, index) => [
      { role: 'user' as const, content: `${index}: ${words(300)}` },
      { role: 'assistant' as const, content: `Noted ${index}.` },
    ]).flat();
    const more: ModelMessage[] = [...messages, { role: 'user', content: 'And now?' }];
    await generateText({ model, messages: more });
    await generateText({ model, messages: more });
    expect(summaries()).toHaveLength(1);
    expect(JSON.stringify(steps().at(-1)?.messages).length).toBeLessThan(JSON.stringify(messages).length / 2);
  });
});

describe('POST /v1/responses', () => {
  it('ignores tools that cannot run here, and offers only allowed ones', async () => {
    const { steps } = await start({ respond: () => ({ text: 'Yes.' }) });
    const named = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
    const tools = [{ type: 'web_search' }, { type: 'namespace', name: 'x' }, named('look'), named('leap')];
    const choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] };
    expect((await send('POST', '/responses', { ...ask('Hello'), tools, tool_choice: choice })).status).toBe(200);
    expect(steps()[0]?.tools.map(({ function: { name } }) => name)).toEqual(['look']);
    expect(steps()[0]?.body['tool_choice']).toBe('required');
  });

  it('joins thousands of thoughts in a row, and ignores encoded ones that are too much', async () => {
    const { steps } = await start({ respond: () => ({ text: 'Yes.' }) });
    const thought = (index: number) => ({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: `Thought ${index}` }],
    });
    const flood = Buffer.from(`[${'{},'.repeat(100_000)}{}]`).toString('base64');
    const deep = Buffer.from(`[{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`).toString('base64');
    const encoded = [flood, deep].map((text) => ({ type: 'reasoning', encrypted_content: text }));
    const thoughts = Array.from({ length: 5_000 }, (_, index) => thought(index));
    const input = [{ role: 'user', content: 'Hello' }, ...thoughts, ...encoded, { role: 'user', content: 'And?' }];
    expect((await send('POST', '/responses', { model: MODEL, input })).status).toBe(200);
    expect(steps()).toHaveLength(1);
  });

  it('ends a stream that fails with the reason', async () => {
    await start({ respond: () => ({ errorInStream: { message: 'Overloaded', code: 529 }, afterText: 'One ' }) });
    const { status, text } = await send('POST', '/responses', { ...ask('Hello'), stream: true });
    expect(status).toBe(200);
    const last = text.trim().split('\n\n').at(-1) ?? '';
    expect(JSON.parse(last.replace(/^event: response.failed\ndata: /, ''))).toMatchObject({
      type: 'response.failed',
      sequence_number: expect.any(Number) as number,
      response: { status: 'failed', error: { message: expect.any(String) as string } },
    });
  });

  it('gives signed reasoning back to the provider', async () => {
    const details = [{ type: 'reasoning.text', text: 'Clay.', signature: 'sig', format: 'anthropic-claude-v1' }];
    const { openai, steps } = await start({
      respond: (_, index) =>
        index === 0 ? { reasoning: 'Clay.', reasoningDetails: details, text: 'Yes.' } : { text: 'Yes.' },
    });
    const first = await openai.responses.create({ ...ask('Hello'), store: false });
    const input = [{ role: 'user', content: 'Hello' }, ...first.output, { role: 'user', content: 'And?' }];
    await send('POST', '/responses', { model: MODEL, input, store: false });
    expect(JSON.stringify(steps()[1]?.messages)).toContain('"signature":"sig"');
  });

  it.each<[string, object, number]>([
    ['an unknown model', { ...ask('Hello'), model: 'throughline/other' }, 404],
    ['an unknown response', { ...ask('Hello'), previous_response_id: 'resp_x' }, 404],
    ['an unknown item', { model: MODEL, input: [{ type: 'item_reference', id: 'msg_x' }] }, 404],
    ['work in the background', { ...ask('Hello'), background: true }, 400],
    ['an item of another kind', { model: MODEL, input: [{ type: 'song' }] }, 400],
    ['a conversation without words', { model: MODEL, input: [] }, 400],
  ])('refuses %s in the shape of the format', async (_, body, status) => {
    await start({ respond: () => ({ text: 'Yes.' }) });
    const answer = await send('POST', '/responses', body);
    expect(answer.status, answer.text).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ error: { message: expect.any(String) as string } });
  });

  it('opens a response for its owner only', async () => {
    const { services } = await start({ respond: () => ({ text: 'Yes.' }) });
    const { id } = JSON.parse((await send('POST', '/responses', ask('Hello'))).text) as { id: string };
    await expect(services.responsesApi.get('own_other', id)).rejects.toThrow('There is no response');
    await expect(services.responsesApi.delete('own_other', id)).rejects.toThrow('There is no response');
    expect((await send('GET', `/responses/${id}`)).status).toBe(200);
  });
});
