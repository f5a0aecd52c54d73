import { APICallError, RetryError } from 'ai';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codesIn } from '#server/core/message-data';
import { classifyProviderError, EmptyStepError, FaultyStepError } from '#server/conversation/step/provider-errors';

interface Call {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

function callError(message: string, { status = 400, body, headers, cause }: Call = {}): APICallError {
  return new APICallError({
    message,
    url: 'https://provider.example/v1/chat/completions',
    requestBodyValues: { messages: ['maximum context length'] },
    statusCode: status,
    ...(body === undefined ? {} : { responseBody: body }),
    ...(headers === undefined ? {} : { responseHeaders: headers }),
    ...(cause === undefined ? {} : { cause }),
  });
}

const overflowTexts: readonly (readonly [provider: string, message: string, status?: number])[] = [
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
  ],
  [
    'OpenAI with completion',
    "This model's maximum context length is 4097 tokens. However, you requested 4120 tokens (3120 in the messages, 1000 in the completion).",
  ],
  ['OpenAI Responses', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  ['Anthropic', 'prompt is too long: 209353 tokens > 200000 maximum'],
  [
    'Anthropic with output',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
  ],
  ['Google', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).'],
  [
    'OpenRouter',
    'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 138956 tokens (7884 of text input, 131072 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
  ],
  [
    'LM Studio',
    'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
  ],
  ['LM Studio, newer', 'The number of tokens to keep from the initial prompt is greater than the context length.'],
  ['LM Studio, n_keep', 'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)'],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  [
    'llama.cpp before',
    'the request exceeds the available context size. try increasing the context size or enable context shift',
    500,
  ],
  ['llama-cpp-python', 'Requested tokens (2285) exceed context window of 2048'],
  ['Ollama', 'prompt too long; exceeded max context length by 4 tokens'],
  ['Ollama, input', 'the input length exceeds the context length'],
  ['vLLM', 'The decoder prompt (length 21535) is longer than the maximum model length of 16384.'],
  ['vLLM, multimodal', 'The prompt (total length 25938) is too long to fit into the model (context length 4096).'],
  ['Bedrock', 'Input is too long for requested model.'],
  ['Bedrock Anthropic', 'The model returned the following errors: prompt is too long: 200049 tokens > 200000 maximum'],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['TGI', 'Input validation error: `inputs` must have less than 2048 tokens. Given: 2222'],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 131072'],
];

const overflows = overflowTexts.map(([provider, message, status = 400]) => ({ provider, message, status }));

const rateLimits: readonly string[] = [
  'Rate limit reached for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Used 14567, Requested 24754. Please try again in 18.642s.',
  'You have reached your rate limit: 8,000 input tokens per minute',
  'Too many tokens, please wait before trying again.',
  'This request would exceed your organization’s rate limit of 40,000 input tokens per minute. Reduce the prompt length.',
  'Resource has been exhausted (e.g. check quota).',
  'request reached organization TPD rate limit, current: 1506556, limit: 1500000',
];

describe('context overflow', () => {
  it.each(overflows)('is recognised from $provider, as a status and inside the stream', ({ message, status }) => {
    const overflow = { kind: 'context-overflow', retryable: false };
    for (const error of [callError(message, { status }), { code: 400, message }, message])
      expect(classifyProviderError(error)).toMatchObject(overflow);
  });

  it('is recognised by its code alone', () => {
    const body = JSON.stringify({ error: { message: 'Bad request', code: 'context_length_exceeded' } });
    expect(classifyProviderError(callError('Bad request', { body })).kind).toBe('context-overflow');
    expect(classifyProviderError({ message: 'no', type: 'exceed_context_size_error' }).kind).toBe('context-overflow');
  });

  it('is recognised in what OpenRouter quotes from the upstream provider', () => {
    const raw = JSON.stringify({
      type: 'error',
      error: { message: 'prompt is too long: 201000 tokens > 200000 maximum' },
    });
    const body = JSON.stringify({ error: { message: 'Provider returned error', code: 400, metadata: { raw } } });
    expect(classifyProviderError(callError('Provider returned error', { body })).kind).toBe('context-overflow');
  });

  it('is assumed for a 413 without a body', () => {
    expect(classifyProviderError(callError('413 status code (no body)', { status: 413 })).kind).toBe(
      'context-overflow',
    );
  });

  it('is never read from the request that was sent', () => {
    expect(classifyProviderError(callError('Unsupported parameter')).kind).toBe('invalid-request');
  });
});

describe('rate limits', () => {
  it.each(rateLimits)('are not an overflow although they speak of tokens: %s', (message) => {
    expect(classifyProviderError(callError(message, { status: 429 }))).toMatchObject({
      kind: 'rate-limit',
      retryable: true,
    });
    expect(classifyProviderError({ message }).kind).toBe('rate-limit');
  });

  it('are hopeless when one request is above the account limit', () => {
    const message =
      'Request too large for gpt-4o in organization org-abc on tokens per min (TPM): Limit 30000, Requested 61337. The input or output tokens must be reduced in order to run successfully.';
    expect(classifyProviderError(callError(message, { status: 429 }))).toMatchObject({
      kind: 'rate-limit',
      retryable: false,
    });
  });

  it.each([
    [{ 'retry-after': '7' }, 'Slow down', 7_000],
    [{ 'retry-after-ms': '1500', 'retry-after': '7' }, 'Slow down', 1_500],
    [{ 'x-ratelimit-reset': '30' }, 'Slow down', 30_000],
    [{ 'x-ratelimit-reset': '1.1' }, 'Slow down', 1_100],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '1m2s' }, 'Slow down', 62_000],
    [{}, 'Rate limit reached. Please try again in 18.642s.', 18_642],
    [{}, 'Rate limit reached. Please try again in 174ms.', 174],
    [{}, 'Quota exceeded. Please retry in 1m2.5s.', 62_500],
  ])('say how long to wait: %j %s', (headers, message, retryAfterMs) => {
    expect(classifyProviderError(callError(message, { status: 429, headers })).retryAfterMs).toBe(retryAfterMs);
  });

  it.each([
    ['no seconds', { 'retry-after': '0' }, 'Slow down'],
    ['no seconds in words', { 'retry-after-ms': '0' }, 'Please try again in 0s.'],
    ['a time that has passed, as where clocks differ', { 'retry-after': 'Fri, 01 Jan 2021 00:00:00 GMT' }, 'Slow down'],
  ])('are not retried immediately for %s', (_, headers, message) => {
    const report = classifyProviderError(callError(message, { status: 429, headers }));
    expect(report).toMatchObject({ kind: 'rate-limit', retryable: true });
    expect(report).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    ['milliseconds, in a header', (time: number) => ({ headers: { 'x-ratelimit-reset': String(time) } })],
    ['seconds, in a header', (time: number) => ({ headers: { 'x-ratelimit-reset': String(time / 1_000) } })],
    [
      'milliseconds, quoted by OpenRouter',
      (time: number) => {
        const metadata = { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(time) } };
        return { body: JSON.stringify({ error: { message: 'Rate limit exceeded', code: 429, metadata } }) };
      },
    ],
  ])('may name the time of their reset, in %s', (_, sent) => {
    const { retryAfterMs = 0 } = classifyProviderError(
      callError('Slow down', { status: 429, ...sent(Date.now() + 60_000) }),
    );
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  it('names no wait by the reset of a limit that is not used up, or by an impossible time', () => {
    const headers = { 'x-ratelimit-reset': '3600' };
    expect(classifyProviderError(callError('Internal error', { status: 500, headers }))).not.toHaveProperty(
      'retryAfterMs',
    );
    const absurd = classifyProviderError(callError('Slow down', { status: 429, headers: { 'retry-after': '1e300' } }));
    expect(absurd).not.toHaveProperty('retryAfterMs');
  });

  it('prefers the header of the response to one that its body quotes', () => {
    const metadata = { headers: { 'X-RateLimit-Reset': String(Date.now() - 1_000) } };
    const body = JSON.stringify({ error: { message: 'Slow down', code: 429, metadata } });
    const report = classifyProviderError(
      callError('Slow down', { status: 429, headers: { 'retry-after': '30' }, body }),
    );
    expect(report.retryAfterMs).toBe(30_000);
  });

  it('may name the time to try again', () => {
    const headers = { 'retry-after': new Date(Date.now() + 60_000).toUTCString() };
    const { retryAfterMs = 0 } = classifyProviderError(callError('Slow down', { status: 429, headers }));
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('other kinds', () => {
  const socket = Object.assign(new TypeError('terminated'), {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  });
  const refusedConnection = Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' }),
  });
  it.each([
    ['wrong key', callError('Incorrect API key provided: sk-abcdef123456.', { status: 401 }), 'auth', false],
    ['forbidden', callError('No access', { status: 403 }), 'auth', false],
    [
      'no credit',
      callError('This request requires more credits, or fewer max_tokens.', { status: 402 }),
      'credit',
      false,
    ],
    [
      'spent quota',
      callError('You exceeded your current quota', {
        status: 429,
        body: '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}',
      }),
      'credit',
      false,
    ],
    [
      'Ollama without tools',
      callError('registry.ollama.ai/library/gemma:2b does not support tools'),
      'no-tools',
      false,
    ],
    [
      'OpenRouter without tools',
      callError('No endpoints found that support tool use. Try disabling "get_content".', { status: 404 }),
      'no-tools',
      false,
    ],
    [
      'vLLM without tools',
      callError('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
      'no-tools',
      false,
    ],
    ['llama.cpp without tools', callError('tools param requires --jinja flag', { status: 500 }), 'no-tools', false],
    [
      'moderation',
      callError('Your chosen model requires moderation and your input was flagged', { status: 403 }),
      'invalid-request',
      false,
    ],
    ['no such model', callError('No endpoints found for nobody/none.', { status: 404 }), 'invalid-request', false],
    ['bad request', callError('messages: text content blocks must be non-empty'), 'invalid-request', false],
    ['bad gateway', callError('Bad Gateway', { status: 502, body: '<html>oops</html>' }), 'unavailable', true],
    ['overloaded', callError('Overloaded', { status: 529 }), 'unavailable', true],
    ['timeout of the provider', callError('Your request timed out', { status: 408 }), 'unavailable', true],
    ['own timeout', new DOMException('The operation timed out.', 'TimeoutError'), 'unavailable', true],
    ['dropped connection', socket, 'unavailable', true],
    ['no server', refusedConnection, 'unavailable', true],
    ['error in the stream', { code: 502, message: 'Provider disconnected' }, 'unavailable', true],
    ['error in the stream, overloaded', { type: 'overloaded_error', message: 'Overloaded' }, 'unavailable', true],
    ['empty step', new EmptyStepError(), 'unavailable', true],
    ['step that nobody could read', new FaultyStepError(), 'unavailable', true],
    ['abort', new DOMException('This operation was aborted', 'AbortError'), 'aborted', false],
    ['nothing', undefined, 'unknown', false],
    ['a fault of ours', new TypeError('x is not a function'), 'unknown', false],
  ])('%s', (_name, error, kind, retryable) => {
    expect(classifyProviderError(error)).toMatchObject({ kind, retryable });
  });

  it('has a separate code for a llama-server that was started without templates', () => {
    const { text } = classifyProviderError(callError('tools param requires --jinja flag', { status: 500 }));
    expect(codesIn(text)).toEqual(['provider-said', 'provider-no-jinja']);
  });

  it('reads the last error of a RetryError', () => {
    const last = callError('prompt is too long: 2 tokens > 1 maximum');
    const errors = [callError('Overloaded', { status: 529 }), last];
    const error = new RetryError({ message: 'Failed after 2 attempts.', reason: 'maxRetriesExceeded', errors });
    expect(classifyProviderError(error).kind).toBe('context-overflow');
  });

  it('always returns an answer, for any thrown value', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (error) => {
        expect(classifyProviderError(error).message).not.toBe('');
      }),
    );
  });

  it('survives errors that contain themselves', () => {
    const error: Error & { cause?: unknown } = new Error('odd');
    error.cause = error;
    expect(classifyProviderError(error).kind).toBe('unknown');
  });
});

describe('messages', () => {
  it('give advice and quote the provider', () => {
    const { message } = classifyProviderError(callError('tools.3.name: String should match pattern'));
    expect(message).toBe(
      'The model\'s provider did not accept the request. It said: "tools.3.name: String should match pattern"',
    );
  });

  it.each([
    'Invalid value for key sk-or-v1-0123456789abcdef',
    'Header Authorization: Bearer abc.def.ghi is malformed',
    'Cannot use api_key=AIzaSyA1234567890abcdefghij here',
    'Project org-uVqpjtJiKqvVJMVfvpaounIh is archived',
    'Upstream https://user:hunter2@host failed',
  ])('never leak secrets: %s', (text) => {
    const { message } = classifyProviderError(callError(text, { headers: { 'x-api-key': 'header-secret' } }));
    expect(message).toContain('[hidden]');
    expect(message).not.toMatch(/0123456789|abc\.def|AIzaSy|uVqpjt|hunter2|header-secret/);
  });

  it('stay short when a proxy answers with a page', () => {
    expect(classifyProviderError(callError('x '.repeat(50_000))).message.length).toBeLessThan(500);
  });
});

it('a failing provider may name the time of the next attempt, too', () => {
  const { message, retryAfterMs } = classifyProviderError(
    callError('Down for maintenance', { status: 503, headers: { 'retry-after': '3600' } }),
  );
  expect(retryAfterMs).toBe(3_600_000);
  expect(message).toMatch(
    /has trouble right now\. Try again in (1 hour|60 minutes) \(\d\d:\d\d UTC\), or choose another model\./,
  );
});
