import { generateText, jsonSchema, streamText, type ToolSet } from 'ai';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '#server/platform/config/env';
import { classifyProviderError } from '#server/conversation/step/provider-errors';
import { type CallStatus, withCallStatus } from '#server/models/wire/call-status';
import { createModelSources } from '#server/models/model-registry';
import { toOllamaRequest } from '#server/models/wire/ollama';
import { type FakeOllamaAnswer, type FakeOllamaModel, startFakeOllama } from '#tests/support/fake-ollama';

const MODEL = 'studio:3b';
const MODELS: readonly FakeOllamaModel[] = [
  { name: MODEL },
  { name: 'plain:1b', capabilities: ['completion'] },
  { name: 'all-minilm:latest', capabilities: ['embedding'] },
];

const tool = (inputSchema: object) => ({ inputSchema: jsonSchema(inputSchema) });
const NO_TOOLS: ToolSet = {};
const fitting = tool({ type: 'object', properties: { word: { type: 'string' } } });

async function ask(
  answer: FakeOllamaAnswer,
  { model = MODEL, tools = NO_TOOLS, usualContext = 4_096, prompt = 'Hello' } = {},
) {
  await using ollama = await startFakeOllama({ models: MODELS, answer: () => answer, usualContext });
  const source = createModelSources(parseEnv({ OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl }), {}).find(
    `local/${model}`,
  );
  const statuses: CallStatus[] = [];
  const parts: object[] = [];
  const failures: unknown[] = [];
  await withCallStatus(
    (status) => statuses.push(status),
    async () => {
      const { stream } = streamText({
        model: source!.create(),
        prompt,
        tools,
        maxRetries: 0,
        maxOutputTokens: 77,
        onError: () => undefined,
      });
      try {
        for await (const part of stream) {
          if (part.type === 'error') failures.push(part.error);
          parts.push(part);
        }
      } catch (error) {
        failures.push(error);
      }
    },
  );
  const texts = parts.flatMap((part) => ('text' in part && 'type' in part ? [[part.type, part.text]] : []));
  return { ollama, statuses, texts, parts, failures, told: failures.map((failure) => classifyProviderError(failure)) };
}

describe('a request to Ollama', () => {
  it('has texts as strings, pictures, thoughts, calls with input and results with tool names', () => {
    const call = { id: 'abc', type: 'function', function: { name: 'look', arguments: '{"at":1}' } };
    const messages = [
      { role: 'system', content: 'Be kind.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAEC' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        tool_calls: [call, { ...call, id: 'def', function: { name: 'list', arguments: '' } }],
      },
      { role: 'tool', tool_call_id: 'abc', content: 'Seen.' },
    ];
    expect(toOllamaRequest(JSON.stringify({ model: 'm', messages, max_tokens: 9, stream: true }))).toEqual({
      model: 'm',
      stream: true,
      truncate: false,
      shift: false,
      options: { num_predict: 9 },
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'One\n\nTwo', images: ['AAEC'] },
        {
          role: 'assistant',
          content: '',
          thinking: 'Hm.',
          tool_calls: [
            { id: 'abc', function: { name: 'look', arguments: { at: 1 } } },
            { id: 'def', function: { name: 'list', arguments: {} } },
          ],
        },
        { role: 'tool', content: 'Seen.', tool_call_id: 'abc', tool_name: 'look' },
      ],
    });
  });

  it.each([
    [undefined, undefined],
    ['none', false],
    ['low', 'low'],
    ['minimal', true],
  ])('asks to think as set: %j', (effort, think) => {
    const request = toOllamaRequest(JSON.stringify({ model: 'm', messages: [], reasoning_effort: effort }));
    expect(request?.think).toBe(think);
  });

  it.each([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object' }, 'json'],
    [{ type: 'json_schema', json_schema: { schema: { type: 'object' } } }, { type: 'object' }],
  ])('asks for the format %j', (format, wanted) => {
    const request = toOllamaRequest(JSON.stringify({ model: 'm', messages: [], response_format: format }));
    expect(request?.format).toEqual(wanted);
  });
});

describe('an answer of Ollama', () => {
  it('has its thoughts before its text, and its usage', async () => {
    const { texts, parts, ollama } = await ask({ thinking: 'Let me see', text: 'Good day' });
    expect(texts.map(([type]) => type)).toEqual(['reasoning-delta', 'text-delta']);
    const finish = parts.find((part) => 'type' in part && part.type === 'finish');
    expect(finish).toMatchObject({
      finishReason: 'stop',
      totalUsage: { inputTokens: expect.any(Number), outputTokens: 6 },
    });
    expect(ollama.chats[0]).toMatchObject({ path: '/api/chat', options: { num_predict: 77 } });
  });

  it('may call a tool', async () => {
    const { parts } = await ask(
      { calls: [{ name: 'ready', arguments: { word: 'yes' } }] },
      { tools: { ready: fitting } },
    );
    expect(parts).toContainEqual(
      expect.objectContaining({ type: 'tool-call', toolName: 'ready', input: { word: 'yes' } }),
    );
    expect(parts).toContainEqual(expect.objectContaining({ type: 'finish', finishReason: 'tool-calls' }));
  });

  it.each<[string, FakeOllamaAnswer]>([
    ['ends with an error line', { text: 'Half', error: 'model runner has unexpectedly stopped' }],
    ['ends without done', { text: 'Half', dies: true }],
    ['ends without done after thoughts', { thinking: 'Half', dies: true }],
  ])('is a failure where it %s', async (_, answer) => {
    const { failures } = await ask(answer);
    expect(failures).toHaveLength(1);
  });

  it('is not streamed where the request is not', async () => {
    await using ollama = await startFakeOllama({
      models: MODELS,
      answer: () => ({ thinking: 'Hm', text: 'A summary', reason: 'length' }),
    });
    const source = createModelSources(parseEnv({ OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl }), {}).find(
      `local/${MODEL}`,
    );
    const { text, finalStep, finishReason } = await generateText({
      model: source!.create(),
      prompt: 'Sum up',
      maxRetries: 0,
    });
    expect({ text, reasoningText: finalStep.reasoningText, finishReason }).toEqual({
      text: 'A summary',
      reasoningText: 'Hm',
      finishReason: 'length',
    });
  });
});

describe('a refusal of Ollama', () => {
  it.each([
    ['a model without tools', { model: 'plain:1b', tools: { ready: fitting } }, 'no-tools'],
    ['a request that is too long', { prompt: 'word '.repeat(5_000) }, 'context-overflow'],
    ['a model that only embeds', { model: 'all-minilm:latest' }, 'invalid-request'],
    ['a model that it does not have', { model: 'none:7b' }, 'invalid-request'],
  ])('of %s is understood', async (_, options, kind) => {
    const { told } = await ask({ text: 'never' }, options);
    expect(told).toEqual([expect.objectContaining({ kind })]);
  });
});

describe('a tool whose schema Ollama refuses', () => {
  it.each([
    ['a property that is true', { type: 'object', properties: { any: true } }],
    ['a property that is false', { type: 'object', properties: { any: false } }],
    ['a root of two types', { type: ['object', 'null'] }],
    // As above, one level deeper.
    [
      'a nested property that is true',
      { type: 'object', properties: { at: { type: 'object', properties: { any: true } } } },
    ],
    // JSON Schema of draft 3: `required` is a boolean of each property; some generators put it at the root.
    ['a boolean for what is required', { type: 'object', properties: {}, required: true }],
    // A description by language, as form builders write it.
    ['a description that is no text', { type: 'object', properties: { word: { description: { de: 'Wort' } } } }],
  ])('with %s is left out and named; the others are sent', async (_, schema) => {
    const { texts, statuses, ollama } = await ask({ text: 'Fine' }, { tools: { ready: fitting, odd: tool(schema) } });
    expect(texts).toEqual([['text-delta', 'Fine']]);
    expect(statuses).toContainEqual({ kind: 'tools-left-out', names: ['odd'] });
    expect(ollama.chats.map(({ tools }) => tools?.map((each) => each.function.name))).toEqual([['ready']]);
  });
});
