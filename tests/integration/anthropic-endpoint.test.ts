import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, jsonSchema, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type CompletionsServer,
  type CompletionsServerOptions,
  startCompletionsServer,
} from '#tests/support/completions-server';
import type { FakeResponse } from '#tests/support/fake-openrouter';
import { colouredPicture } from '#tests/support/pictures';

let server: CompletionsServer | null = null;

/** A server, and a model of it as the client of Anthropic's API opens it. */
async function start(options: CompletionsServerOptions) {
  server = await startCompletionsServer(options);
  const anthropic = createAnthropic({ baseURL: server.baseUrl, apiKey: 'any' });
  return { ...server, model: anthropic('openai/gpt-4o') };
}

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${server!.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

const city = jsonSchema<{ city: string }>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
});
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');
const asked = { model: 'openai/gpt-4o', max_tokens: 500, messages: [{ role: 'user', content: 'Hello' }] };

describe('POST /v1/messages with the AI SDK’s client', () => {
  it('answers as a whole, with cached input counted apart', async () => {
    const { model, steps } = await start({
      respond: () => ({ text: 'Clay first.', usage: { promptTokens: 40, completionTokens: 4, cachedTokens: 8 } }),
    });
    const { text, finishReason, finalStep, usage } = await generateText({
      model,
      instructions: 'Be short.',
      prompt: 'What comes first?',
      maxOutputTokens: 300,
      temperature: 0.25,
      stopSequences: ['END'],
    });
    expect(text).toBe('Clay first.');
    expect(finishReason).toBe('stop');
    expect(finalStep.response.id).toMatch(/^msg_/);
    expect(usage).toMatchObject({ inputTokens: 40, outputTokens: 4 });
    expect(usage.inputTokenDetails.cacheReadTokens).toBe(8);
    expect(steps()[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
        { role: 'user', content: 'What comes first?' },
      ],
      temperature: 0.25,
      stop: ['END'],
    });
  });

  it('answers as a stream, thoughts before words', async () => {
    const { model } = await start({
      respond: () => ({ reasoning: 'First the clay.', chunks: ['One ', 'two ', 'three.'] }),
    });
    const streamed = streamText({ model, prompt: 'Count.' });
    const parts: string[] = [];
    let text = '';
    let thoughts = '';
    for await (const part of streamed.stream) {
      parts.push(part.type);
      if (part.type === 'text-delta') text += part.text;
      if (part.type === 'reasoning-delta') thoughts += part.text;
    }
    expect(text).toBe('One two three.');
    expect(thoughts).toBe('First the clay.');
    expect(parts.indexOf('reasoning-end')).toBeLessThan(parts.indexOf('text-start'));
    expect(await streamed.finishReason).toBe('stop');
  });

  it('passes tools through, streams interleaved calls whole, and takes their results back', async () => {
    const toolCalls = [
      { id: 'call_1', name: 'get_weather', input: { city: 'Köln' } },
      { id: 'call_2', name: 'get_weather', input: { city: 'Oslo' } },
    ];
    const respond: CompletionsServerOptions['respond'] = ({ messages }): FakeResponse =>
      messages.at(-1)?.role === 'tool' ? { text: 'Mild.' } : { text: 'I look.', toolCalls };
    const { model, steps } = await start({ respond });
    const tools = {
      get_weather: tool({
        inputSchema: city,
        execute: ({ city: name }) => {
          if (name === 'Oslo') throw new Error('No such place');
          return `Mild in ${name}`;
        },
      }),
    };
    const streamed = streamText({ model, prompt: 'How is the weather?', tools, stopWhen: stepCountIs(3) });
    expect(await streamed.text).toBe('Mild.');
    expect(steps()[0]?.tools[0]?.function).toMatchObject({ name: 'get_weather' });
    const sent = steps()[1]?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool']);
    expect(JSON.stringify(sent[1])).toContain(String.raw`"arguments":"{\"city\":\"Köln\"}"`);
    expect(sent[2]).toMatchObject({ tool_call_id: 'call_1', content: 'Mild in Köln' });
    expect(sent[3]).toMatchObject({ tool_call_id: 'call_2' });
    expect(JSON.stringify(sent[3])).toContain('Error: ');
  });

  it('gives signed reasoning back to the provider, also after words and calls', async () => {
    const details = [{ type: 'reasoning.text', text: 'Look.', signature: 'sig', format: 'anthropic-claude-v1' }];
    const toolCalls = [{ id: 'call_1', name: 'get_weather', input: { city: 'Oslo' } }];
    const { model, steps } = await start({
      respond: (_, index) =>
        index === 0 ? { reasoning: 'Look.', reasoningDetails: details, text: 'I look.', toolCalls } : { text: 'Mild.' },
    });
    const tools = { get_weather: tool({ inputSchema: city, execute: () => 'Mild' }) };
    const streamed = streamText({ model, prompt: 'How is the weather?', tools, stopWhen: stepCountIs(3) });
    expect(await streamed.text).toBe('Mild.');
    expect(JSON.stringify(steps()[1]?.messages)).toContain('"signature":"sig"');
  });

  it('passes pictures on, of the user and of results', async () => {
    const { model, steps } = await start({ respond: () => ({ text: 'Blue.' }) });
    const picture = await colouredPicture('#4a6fa5');
    const data = picture.toString('base64');
    const messages: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Which colour?' },
          { type: 'image', image: picture },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: { city: 'here' } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName: 'look',
            output: {
              type: 'content',
              value: [
                { type: 'text', text: 'Seen:' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
              ],
            },
          },
        ],
      },
    ];
    await generateText({ model, messages, tools: { look: tool({ inputSchema: city }) } });
    const sent = steps()[0]?.messages ?? [];
    expect(sent.slice(0, 3).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(JSON.stringify(sent[0])).toContain('data:image/png;base64,');
    expect(JSON.stringify(sent[2])).toContain('Seen:');
    expect(sent.at(-1)?.role).toBe('user');
    expect(JSON.stringify(sent.at(-1))).toContain('data:image/png;base64,');
  });
});

describe('POST /v1/messages', () => {
  it('leaves out the tools that Anthropic runs itself', async () => {
    const { steps } = await start({ respond: () => ({ text: 'Yes.' }) });
    const tools = [
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      { name: 'look', input_schema: { type: 'object', properties: {} } },
    ];
    expect((await post('/messages', { ...asked, tools })).status).toBe(200);
    expect(steps()[0]?.tools.map(({ function: { name } }) => name)).toEqual(['look']);
  });

  it.each<[string, object, number, string]>([
    ['an unknown model', { ...asked, model: 'throughline/other' }, 404, 'not_found_error'],
    ['no limit of the answer', { ...asked, max_tokens: undefined }, 400, 'invalid_request_error'],
    [
      'an unknown block',
      { ...asked, messages: [{ role: 'user', content: [{ type: 'song' }] }] },
      400,
      'invalid_request_error',
    ],
    [
      'a tool that is not there',
      { ...asked, tool_choice: { type: 'tool', name: 'look' } },
      400,
      'invalid_request_error',
    ],
  ])('refuses %s in the shape of the format', async (_, body, status, type) => {
    await start({ respond: () => ({ text: 'Yes.' }) });
    const answer = await post('/messages', body);
    expect(answer.status, answer.text).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      type: 'error',
      error: { type, message: expect.any(String) as string },
    });
  });

  it('names an overflow in the words that clients recognize', async () => {
    await start({ respond: () => ({ text: 'Yes.' }) });
    const answer = await post('/messages', { ...asked, messages: [{ role: 'user', content: words(40_000) }] });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('prompt is too long');
  });

  it('says a failure in the middle of a stream as an event', async () => {
    await start({ respond: () => ({ errorInStream: { message: 'Overloaded', code: 529 }, afterText: 'One ' }) });
    const { status, text } = await post('/messages', { ...asked, stream: true });
    expect(status).toBe(200);
    const events = text.split('\n').flatMap((line) => (line.startsWith('event: ') ? [line.slice(7)] : []));
    expect(events.slice(0, 3)).toEqual(['message_start', 'content_block_start', 'content_block_delta']);
    expect(events.at(-1)).toBe('error');
  });
});

it('counts tokens without a model call', async () => {
  const { provider } = await start({ respond: () => ({ text: 'Yes.' }) });
  const count = async (body: object) => {
    const answer = await post('/messages/count_tokens', body);
    expect(answer.status, answer.text).toBe(200);
    return (JSON.parse(answer.text) as { input_tokens: number }).input_tokens;
  };
  const { max_tokens: _, ...conversation } = asked;
  const short = await count(conversation);
  const long = await count({ ...conversation, messages: [{ role: 'user', content: words(1_000) }] });
  const withTools = await count({
    ...conversation,
    tools: [{ name: 'look', description: words(100), input_schema: { type: 'object' } }],
  });
  expect(short).toBeGreaterThan(0);
  expect(long).toBeGreaterThan(1_000);
  expect(withTools).toBeGreaterThan(short + 100);
  expect(provider.requests).toEqual([]);
});
