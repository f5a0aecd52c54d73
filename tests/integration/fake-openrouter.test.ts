import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { APICallError, generateText, isStepCount, StreamProviderError, streamText } from 'ai';
import type { ModelMessage, ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { classifyProviderError, EmptyStepError } from '#server/agent/provider-errors';
import { countTokens } from '#server/context/tokens';
import { contextOverflowResponse, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import type { FakeOpenRouter, FakeOpenRouterOptions, FakeResponse } from '#tests/support/fake-openrouter';
import { respondWithModel } from '#tests/support/respond-with-model';

let server: FakeOpenRouter | undefined;
afterEach(async () => server?.close());

async function serve(respond: FakeOpenRouterOptions['respond']): Promise<[FakeOpenRouter, LanguageModelV4]> {
  server = await startFakeOpenRouter({ respond });
  const provider = createOpenRouter({ apiKey: 'sk-or-test', baseURL: server.baseUrl, compatibility: 'strict' });
  return [server, provider.chat('openai/gpt-4o', { usage: { include: true } })];
}

const tools: ToolSet = {
  create_page: { description: 'Creates a page', inputSchema: z.object({ title: z.string() }) },
};

interface StreamOptions {
  readonly messages?: ModelMessage[];
  readonly abortSignal?: AbortSignal;
}

/** One step, as the agent makes it: no retries of the SDK, tools without `execute`; what the SDK says of it. */
async function streamOneStep(model: LanguageModelV4, { messages, abortSignal }: StreamOptions = {}) {
  const result = streamText({
    model,
    instructions: 'Be brief.',
    messages: messages ?? [{ role: 'user', content: 'Create a page called Pricing' }],
    tools,
    maxRetries: 0,
    stopWhen: isStepCount(1),
    onError: () => {},
    ...(abortSignal === undefined ? {} : { abortSignal }),
  });
  // The promises reject when a step fails; the stream is what is looked at.
  result.usage.then(undefined, () => {});
  const parts = [];
  let thrown: unknown;
  try {
    for await (const part of result.stream) parts.push(part);
  } catch (error) {
    thrown = error;
  }
  const text = parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
  const errors = parts.flatMap((part) => (part.type === 'error' ? [part.error] : []));
  const finish = parts.find((part) => part.type === 'finish-step');
  return { parts, types: parts.map((part) => part.type), text, errors, finish, thrown };
}

describe('an answer', () => {
  it('streams text and reasoning, with usage, cache and cost', async () => {
    const usage = { promptTokens: 900, completionTokens: 30, cachedTokens: 600, reasoningTokens: 10, cost: 0.0042 };
    const [, model] = await serve(() => ({ text: 'The page is there, as asked.', reasoning: 'Simple enough.', usage }));
    const { text, types, finish, errors } = await streamOneStep(model);
    expect(errors).toEqual([]);
    expect(text).toBe('The page is there, as asked.');
    expect(types.filter((type) => type === 'text-delta').length).toBeGreaterThan(1);
    expect(types).toContain('reasoning-delta');
    expect(finish).toMatchObject({
      finishReason: 'stop',
      usage: {
        inputTokens: 900,
        inputTokenDetails: { cacheReadTokens: 600 },
        outputTokens: 30,
        outputTokenDetails: { reasoningTokens: 10 },
        raw: { cost: 0.0042 },
      },
    });
  });

  it('streams parallel tool calls in pieces', async () => {
    const toolCalls = ['Pricing', 'About "us"'].map((title, index) => ({
      id: `call_${index}`,
      name: 'create_page',
      input: { title },
    }));
    const [fake, model] = await serve(() => ({ text: 'Two pages.', toolCalls }));
    const { parts, types, finish } = await streamOneStep(model);
    expect(types.filter((type) => type === 'tool-input-delta').length).toBeGreaterThan(2);
    expect(parts.filter((part) => part.type === 'tool-call')).toMatchObject([
      { toolCallId: 'call_0', toolName: 'create_page', input: { title: 'Pricing' } },
      { toolCallId: 'call_1', toolName: 'create_page', input: { title: 'About "us"' } },
    ]);
    expect(finish).toMatchObject({ finishReason: 'tool-calls' });
    expect(fake.requests[0]?.tools[0]?.function.name).toBe('create_page');
  });

  it('counts the tokens of the request and the answer when none are scripted', async () => {
    const [fake, model] = await serve(() => ({ text: 'Done.' }));
    const { finish } = await streamOneStep(model);
    const request = fake.requests[0]!;
    expect(request.messages).toHaveLength(2);
    const said = countTokens('Be brief.') + countTokens('Create a page called Pricing');
    const inputTokens = said + 2 * 4 + countTokens(JSON.stringify(request.tools));
    expect(finish).toMatchObject({ usage: { inputTokens } });
    expect(inputTokens).toBeGreaterThan(50);
  });

  it('comes as JSON when it is not streamed', async () => {
    const [fake, model] = await serve(() => ({
      text: 'Done.',
      toolCalls: [{ id: 'a', name: 'create_page', input: {} }],
    }));
    const result = await generateText({ model, prompt: 'Hello', maxRetries: 0 });
    expect(result).toMatchObject({ text: 'Done.', finishReason: 'tool-calls', toolCalls: [{ toolCallId: 'a' }] });
    expect(result.usage.inputTokens).toBeGreaterThan(0);
    expect(fake.requests[0]).toMatchObject({ stream: false, state: 'finished', sentText: 'Done.' });
  });
});

describe('the shapes of failure', () => {
  async function fail(response: FakeResponse) {
    const [, model] = await serve(() => response);
    return streamOneStep(model);
  }

  it('1: an HTTP error is one error part with an APICallError', async () => {
    const { errors, text } = await fail({
      error: { status: 429, message: 'Slow down', headers: { 'retry-after': '3' } },
    });
    expect(text).toBe('');
    expect(errors).toHaveLength(1);
    expect(APICallError.isInstance(errors[0])).toBe(true);
    expect(classifyProviderError(errors[0])).toMatchObject({
      kind: 'rate-limit',
      retryable: true,
      retryAfterMs: 3_000,
    });
  });

  it('1b: a context overflow is told from other bad requests', async () => {
    const { errors } = await fail(contextOverflowResponse(16_000, 17_500));
    expect(classifyProviderError(errors[0]).kind).toBe('context-overflow');
  });

  it('1c: what the provider behind OpenRouter said decides', async () => {
    const raw =
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2 tokens > 1 maximum"}}';
    const metadata = { provider_name: 'Anthropic', raw };
    const { errors } = await fail({ error: { status: 400, message: 'Provider returned error', metadata } });
    expect(classifyProviderError(errors[0]).kind).toBe('context-overflow');
  });

  it('2: a RetryError is what the SDK makes of it when it may retry', async () => {
    const [fake, model] = await serve(() => ({
      error: { status: 503, message: 'Down', headers: { 'retry-after-ms': '1' } },
    }));
    const error: unknown = await generateText({ model, prompt: 'Hello', maxRetries: 1 }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ name: 'AI_RetryError' });
    expect(fake.requests).toHaveLength(2);
    expect(classifyProviderError(error)).toMatchObject({ kind: 'unavailable', retryable: true });
  });

  it('3: an error inside the stream comes after the text, as a StreamProviderError', async () => {
    const errorInStream = { code: 502, message: 'Provider disconnected' };
    const { errors, text, finish } = await fail({ errorInStream, afterText: 'The page is' });
    expect(text).toBe('The page is');
    expect(errors).toMatchObject([errorInStream]);
    expect(StreamProviderError.isInstance(errors[0])).toBe(true);
    expect(finish).toMatchObject({ finishReason: 'error' });
    expect(classifyProviderError(errors[0])).toMatchObject({ kind: 'unavailable', retryable: true });
  });

  it('4: a dropped connection keeps the text and ends with an error part', async () => {
    const { errors, text } = await fail({ dropConnectionAfter: 'The page is almost' });
    expect(text).toBe('The page is almost');
    expect(errors).toHaveLength(1);
    expect(classifyProviderError(errors[0])).toMatchObject({ kind: 'unavailable', retryable: true });
  });

  it('5: "200 with a JSON error" looks like an empty step without usage and without an error', async () => {
    const { errors, text, finish } = await fail({ error: { status: 200, code: 502, message: 'Upstream failed' } });
    expect({ errors, text }).toEqual({ errors: [], text: '' });
    expect(finish).toMatchObject({ finishReason: 'other', usage: { inputTokens: undefined, outputTokens: undefined } });
    expect(classifyProviderError(new EmptyStepError())).toMatchObject({ kind: 'unavailable', retryable: true });
  });

  it('5b: not streamed, it is an APICallError with status 200 whose body tells the truth', async () => {
    const [, model] = await serve(() => ({ error: { status: 200, code: 429, message: 'Slow down' } }));
    const error: unknown = await generateText({ model, prompt: 'Hello', maxRetries: 0 }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ statusCode: 200 });
    expect(classifyProviderError(error).kind).toBe('rate-limit');
  });

  it('a provider that never answers is ended by our abort', async () => {
    const [fake, model] = await serve(() => ({ hang: true }));
    const abort = new AbortController();
    const step = streamOneStep(model, { abortSignal: abort.signal });
    await fake.waitForRequest();
    abort.abort();
    const { types } = await step;
    expect(types).toContain('abort');
    await fake.waitForRequest((request) => request.state === 'client-closed');
  });

  it('no server at all is an APICallError without a status', async () => {
    const [fake, model] = await serve(() => ({ text: '' }));
    await fake.close();
    const { errors } = await streamOneStep(model);
    expect(classifyProviderError(errors[0])).toMatchObject({ kind: 'unavailable', retryable: true });
  });
});

describe('the same failures from an OpenAI-compatible server', () => {
  async function fail(response: FakeResponse) {
    const [fake] = await serve(() => response);
    const provider = createOpenAICompatible({ name: 'local', baseURL: fake.baseUrl, includeUsage: true });
    return streamOneStep(provider.chatModel('llama'));
  }

  it('an HTTP error is an APICallError', async () => {
    const { errors } = await fail(contextOverflowResponse(4_096, 5_000));
    expect(classifyProviderError(errors[0]).kind).toBe('context-overflow');
  });

  it('an error inside the stream is a StreamProviderError', async () => {
    const { errors, text } = await fail({
      errorInStream: { code: 400, message: 'the request exceeds the available context size, try increasing it' },
      afterText: 'The page is',
    });
    expect(text).toBe('The page is');
    expect(StreamProviderError.isInstance(errors[0])).toBe(true);
    expect(classifyProviderError(errors[0]).kind).toBe('context-overflow');
  });

  it('a dropped connection keeps the text, but the stream throws', async () => {
    const { errors, text, thrown } = await fail({ dropConnectionAfter: 'The page is almost' });
    expect({ errors, text }).toEqual({ errors: [], text: 'The page is almost' });
    expect(APICallError.isInstance(thrown)).toBe(true);
    expect(classifyProviderError(thrown)).toMatchObject({ kind: 'unavailable', retryable: true });
  });

  it('"200 with a JSON error" is an error part', async () => {
    const { errors, finish } = await fail({ error: { status: 200, code: 502, message: 'Upstream failed' } });
    expect(errors).toMatchObject([{ name: 'AI_InvalidResponseDataError' }]);
    expect(finish).toMatchObject({ finishReason: 'error' });
    expect(classifyProviderError(errors[0])).toMatchObject({ kind: 'unavailable', retryable: true });
  });
});

describe('what the server records', () => {
  it('notes every chunk with its time, and a client that goes away', async () => {
    const chunks = Array.from({ length: 200 }, (_, index) => `word${index} `);
    const [fake, model] = await serve(() => ({ chunks, chunkDelayMs: 5 }));
    const abort = new AbortController();
    const step = streamOneStep(model, { abortSignal: abort.signal });
    const request = await fake.waitForText((sent) => sent.includes('word5'));
    expect(request.state).toBe('open');
    abort.abort();
    await step;
    const closed = await fake.waitForRequest(({ state }) => state === 'client-closed');
    expect(closed.sent.length).toBeLessThan(200);
    expect(closed.sent.map(({ text }) => text).join('')).toBe(closed.sentText);
    const times = closed.sent.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('tells which request it waited for in vain', async () => {
    const [fake] = await serve(() => ({ text: '' }));
    await expect(fake.waitForRequest(() => false, 20)).rejects.toThrow('No such request within 20 ms; 0 arrived.');
  });
});

describe('respondWithModel', () => {
  it('gives a model behind the wire the prompt that the SDK was given', async () => {
    const brain = new MockLanguageModelV4({
      doGenerate: {
        content: [
          { type: 'text', text: 'Creating it.' },
          { type: 'tool-call', toolCallId: 'call_9', toolName: 'create_page', input: '{"title":"Blog"}' },
        ],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      },
    });
    const [, model] = await serve(respondWithModel(brain));
    const call = (toolCallId: string, title: string) => ({
      type: 'tool-call' as const,
      toolCallId,
      toolName: 'create_page',
      input: { title },
    });
    const messages: ModelMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'Create two pages' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Right away.' }, call('a', 'One'), call('b', 'Two')] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'a', toolName: 'create_page', output: { type: 'json', value: { id: 1 } } },
          {
            type: 'tool-result',
            toolCallId: 'b',
            toolName: 'create_page',
            output: { type: 'text', value: 'Slug taken' },
          },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And a blog' }] },
    ];
    const { text, parts, finish } = await streamOneStep(model, { messages });

    expect(text).toBe('Creating it.');
    expect(parts.find((part) => part.type === 'tool-call')).toMatchObject({
      toolCallId: 'call_9',
      input: { title: 'Blog' },
    });
    expect(finish).toMatchObject({ finishReason: 'tool-calls' });
    const received = brain.doGenerateCalls[0];
    expect(received?.prompt).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages]);
    expect(received?.tools).toMatchObject([{ type: 'function', name: 'create_page', description: 'Creates a page' }]);
  });
});
