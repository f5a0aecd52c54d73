import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { APICallError, generateText, isStepCount, StreamProviderError, streamText } from 'ai';
import type { ToolSet } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { classifyProviderError, EmptyStepError } from '#server/conversation/step/provider-errors';
import { contextOverflowResponse, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import type { FakeOpenRouter, FakeOpenRouterOptions, FakeResponse } from '#tests/support/fake-openrouter';

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

/** One step, as the agent makes it: no retries of the SDK, tools without `execute`; what the SDK says of it. */
async function streamOneStep(model: LanguageModelV4, abortSignal?: AbortSignal) {
  const result = streamText({
    model,
    instructions: 'Be brief.',
    prompt: 'Create a page called Pricing',
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

describe('failures of OpenRouter, as the AI SDK tells of them', () => {
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
    const step = streamOneStep(model, abort.signal);
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
