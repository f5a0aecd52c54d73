import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type CompletionsServer,
  type CompletionsServerOptions,
  startCompletionsServer,
} from '#tests/support/completions-server';
import { chunk, startModelServer } from '#tests/support/model-server';

let server: CompletionsServer | null = null;

async function start(options: CompletionsServerOptions): Promise<CompletionsServer> {
  server = await startCompletionsServer(options);
  return server;
}

afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
  server = null;
});

/** What it fails with. */
async function failureOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return error;
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const ask = (content: string) => [{ role: 'user' as const, content }];

describe('POST /v1/chat/completions with the official client', () => {
  it('answers as a whole', async () => {
    const { openai, steps } = await start({
      respond: () => ({ text: 'Clay first.', usage: { promptTokens: 40, completionTokens: 4, cachedTokens: 8 } }),
    });
    const answer = await openai.chat.completions.create({
      model: 'openai/gpt-4o',
      messages: [{ role: 'system', content: 'Be short.' }, ...ask('What comes first?')],
      temperature: 0.25,
      stop: ['END', 'STOP'],
    });
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'openai/gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Clay first.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 40, completion_tokens: 4, total_tokens: 44, prompt_tokens_details: { cached_tokens: 8 } },
    });
    expect(answer.id).toMatch(/^chatcmpl-/);
    expect(steps()[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
        { role: 'user', content: 'What comes first?' },
      ],
      temperature: 0.25,
      stop: ['END', 'STOP'],
    });
    expect(steps()[0]?.tools).toEqual([]);
  });

  it('answers as a stream', async () => {
    const { openai } = await start({ respond: () => ({ chunks: ['One ', 'two ', 'three.'] }) });
    const stream = await openai.chat.completions.create({
      model: 'gpt-4o',
      messages: ask('Count.'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collect(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('One two three.');
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: expect.any(Number) as number } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  const tool = (name: string) => ({
    type: 'function' as const,
    function: {
      name,
      description: `Does ${name}.`,
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  });

  it('passes tools through, and calls with their ids', async () => {
    const toolCalls = [
      { id: 'call_Abc-1', name: 'get_weather', input: { city: 'Köln' } },
      { id: 'call_Abc-2', name: 'get_weather', input: { city: 'Oslo' } },
    ];
    const { openai, steps } = await start({
      respond: ({ messages }) =>
        messages.at(-1)?.role === 'tool' ? { text: 'Mild.' } : { text: 'I look.', toolCalls },
    });
    const tools = [tool('get_weather'), tool('get_time')];
    const messages: OpenAI.ChatCompletionMessageParam[] = ask('How is the weather?');
    const request = { model: 'openai/gpt-4o', messages, tools, parallel_tool_calls: true } as const;

    const streamed = openai.chat.completions.stream(request);
    const { message, finish_reason: finish } = (await streamed.finalChatCompletion()).choices[0] ?? {};
    expect(finish).toBe('tool_calls');
    expect(message?.content).toBe('I look.');
    const wire = toolCalls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }));
    expect(message?.tool_calls).toMatchObject(wire);
    expect(steps()[0]?.body).toMatchObject({ tools, tool_choice: 'auto', parallel_tool_calls: true });

    const results = toolCalls.map(({ id }) => ({
      role: 'tool' as const,
      tool_call_id: id,
      content: `12 degrees ${id}`,
    }));
    const said = { role: 'assistant' as const, content: 'I look.', tool_calls: wire as never };
    const answer = await openai.chat.completions.create({ ...request, messages: [...messages, said, ...results] });
    expect(answer.choices[0]).toMatchObject({ message: { content: 'Mild.' }, finish_reason: 'stop' });
    expect(steps()[1]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: 'I look.', tool_calls: wire },
      { role: 'tool', tool_call_id: 'call_Abc-1', content: '12 degrees call_Abc-1' },
      { role: 'tool', tool_call_id: 'call_Abc-2', content: '12 degrees call_Abc-2' },
    ]);
  });

  it.each([
    ['none', 'none'],
    ['required', 'required'],
    [{ type: 'function', function: { name: 'get_time' } } as const, { function: { name: 'get_time' } }],
  ] as const)('passes the choice of a tool on: %j', async (choice, sent) => {
    const { openai, steps } = await start({ respond: () => ({ text: 'Yes.' }) });
    const tools = [tool('get_time')];
    await openai.chat.completions.create({ model: 'openai/gpt-4o', messages: ask('?'), tools, tool_choice: choice });
    expect(steps()[0]?.body.tool_choice).toEqual(typeof sent === 'string' ? sent : expect.objectContaining(sent));
  });

  it('offers allowed tools only', async () => {
    const { openai, steps } = await start({ respond: () => ({ text: 'Yes.' }) });
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'get_time' } }] } as const;
    await openai.chat.completions.create({
      model: 'openai/gpt-4o',
      messages: ask('?'),
      tools: [tool('get_time'), tool('get_weather')],
      tool_choice: { type: 'allowed_tools', allowed_tools: { ...allowed, tools: [...allowed.tools] } },
    });
    expect(steps()[0]?.tools.map(({ function: { name } }) => name)).toEqual(['get_time']);
    expect(steps()[0]?.body.tool_choice).toBe('required');
  });

  it.each(['openai/gpt-4o', 'local/loaded'])('passes the wanted format and effort on to %s', async (model) => {
    const { openai, steps } = await start({ respond: () => ({ text: '{"a":1}' }) });
    const schema = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
    const format = { type: 'json_schema', json_schema: { name: 'thing', strict: true, schema } } as const;
    const answer = await openai.chat.completions.create({
      model,
      messages: ask('An object.'),
      response_format: format,
      reasoning_effort: 'low',
      max_completion_tokens: 50,
    });
    expect(answer.choices[0]?.message.content).toBe('{"a":1}');
    expect(steps()[0]?.body).toMatchObject({ response_format: format, reasoning_effort: 'low', max_tokens: 50 });
  });

  it('passes images on as they came', async () => {
    const { openai, steps } = await start({ respond: () => ({ text: 'A pot.' }) });
    const url =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    await openai.chat.completions.create({ model: 'openai/gpt-4o', messages: [{ role: 'user', content }] });
    expect(steps()[0]?.messages.at(-1)?.content).toMatchObject(content);
  });

  it('returns the finish reason', async () => {
    const ends = ['length', 'content_filter', 'stop'];
    const { openai } = await start({ respond: (_, index) => ({ text: 'So', finishReason: ends[index] ?? 'stop' }) });
    for (const end of ends) {
      const request = { model: 'openai/gpt-4o', messages: ask('Go.'), max_tokens: 20 };
      expect((await openai.chat.completions.create(request)).choices[0]?.finish_reason).toBe(end);
    }
  });

  it('returns the reasoning', async () => {
    const { openai } = await start({ respond: () => ({ reasoning: 'Clay, then fire.', text: 'Clay.' }) });
    const request = { model: 'openai/gpt-4o', messages: ask('What first?') };
    const whole = await openai.chat.completions.create(request);
    expect(whole.choices[0]?.message).toMatchObject({
      content: 'Clay.',
      reasoning_content: 'Clay, then fire.',
      reasoning: 'Clay, then fire.',
    });
    const chunks = await collect(await openai.chat.completions.create({ ...request, stream: true }));
    const deltas = chunks.map(({ choices }) => (choices[0]?.delta ?? {}) as { reasoning_content?: string });
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).toBe('Clay, then fire.');
  });

  it('lists its models, and one of them', async () => {
    const { openai } = await start({ respond: () => ({ text: '' }) });
    const models = await collect(await openai.models.list());
    expect(models.map(({ id }) => id)).toContain('openai/gpt-4o');
    const one = { id: 'openai/gpt-4o', object: 'model', owned_by: 'openrouter', context_window: 16_000 };
    expect(models).toContainEqual(expect.objectContaining(one));
    // The client encodes the slash, others do not.
    expect(await openai.models.retrieve('openai/gpt-4o')).toMatchObject(one);
    expect(await openai.models.retrieve('gpt-4o')).toMatchObject(one);
    await expect(openai.models.retrieve('nobody/knows/this')).rejects.toMatchObject({ status: 404 });
  });
});

describe('requests that /v1 refuses', () => {
  const good = { model: 'openai/gpt-4o', messages: ask('Hello.') };
  const post = (baseUrl: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  const REFUSED: readonly (readonly [what: string, body: unknown, param: string | RegExp | null])[] = [
    ['no JSON', '{', null],
    ['no model', { messages: good.messages }, 'model'],
    ['no messages', { ...good, messages: [] }, 'messages'],
    ['a role nobody has', { ...good, messages: [{ role: 'robot', content: 'x' }] }, 'messages.0.role'],
    [
      'a file on this disk',
      {
        ...good,
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }],
      },
      /^messages\.0/,
    ],
    ['two answers', { ...good, n: 2 }, 'n'],
    ['log probabilities', { ...good, logprobs: true }, 'logprobs'],
    ['spoken answers', { ...good, modalities: ['text', 'audio'] }, /^modalities/],
    ['five stop sequences', { ...good, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    ['functions in the older form', { ...good, functions: [{ name: 'f' }] }, 'functions'],
    ['a tool of another type', { ...good, tools: [{ type: 'custom', custom: { name: 'f' } }] }, /^tools\.0/],
    [
      'the choice of a tool that is not there',
      { ...good, tool_choice: { type: 'function', function: { name: 'f' } } },
      'tool_choice',
    ],
    ['a limit of nothing', { ...good, max_tokens: 0 }, 'max_tokens'],
  ];

  it('name the wrong field in the shape of the format, without a model call', async () => {
    const { baseUrl, steps } = await start({ respond: () => ({ text: 'no' }) });
    for (const [what, body, param] of REFUSED) {
      const response = await post(baseUrl, body);
      expect([what, response.status, await response.json()]).toEqual([
        what,
        400,
        {
          error: {
            message: expect.any(String) as string,
            type: 'invalid_request_error',
            param: param instanceof RegExp ? (expect.stringMatching(param) as string) : param,
            code: null,
          },
        },
      ]);
    }
    expect(steps()).toEqual([]);
  });

  it('accepts null as absent, and ignores unknown fields', async () => {
    const { baseUrl } = await start({ respond: () => ({ text: 'Yes.' }) });
    const nothing = {
      temperature: null,
      stop: null,
      tools: null,
      tool_choice: null,
      max_tokens: null,
      logprobs: false,
    };
    const response = await post(baseUrl, { ...good, ...nothing, n: 1, store: true, service_tier: 'auto', x: { y: 1 } });
    expect(response.status).toBe(200);
  });

  it('an unknown model, an unknown address, a wrong key and a stranger', async () => {
    const { baseUrl, openai } = await start({ respond: () => ({ text: 'no' }) });
    await expect(openai.chat.completions.create({ ...good, model: 'nobody' })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      type: 'invalid_request_error',
    });
    const absent = await fetch(`${baseUrl}/embeddings`, { method: 'POST', body: '{}' });
    expect([absent.status, await absent.json()]).toMatchObject([404, { error: { code: 'not_found', param: null } }]);
    const stranger = new OpenAI({ apiKey: `tl_${'x'.repeat(40)}`, baseURL: baseUrl, maxRetries: 0 });
    await expect(stranger.chat.completions.create(good)).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      type: 'authentication_error',
    });
    const page = await post(baseUrl, good, { origin: 'https://elsewhere.example' });
    expect([page.status, await page.json()]).toMatchObject([403, { error: { type: 'permission_error' } }]);
  });

  it('a body that is too large', async () => {
    const { baseUrl } = await start({ respond: () => ({ text: 'no' }) });
    const response = await post(baseUrl, { ...good, messages: ask('x'.repeat(33_000_000)) });
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: 'request_too_large' } }]);
  });

  it('more concurrent calls than allowed, and releases the places', async () => {
    const { openai, provider } = await start({
      respond: ({ messages }) =>
        JSON.stringify(messages).includes('Wait') ? { silentAfter: ['So '] } : { text: 'Yes.' },
      env: { RUNNING_TURNS: '1' },
    });
    const first = await openai.chat.completions.create({ ...good, messages: ask('Wait'), stream: true });
    const refused = await failureOf(openai.chat.completions.create(good));
    expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' });
    expect(Number((refused as { headers: Headers }).headers.get('retry-after'))).toBeGreaterThan(0);
    first.controller.abort();
    await provider.waitForRequest(({ state }) => state === 'client-closed');
    await expect
      .poll(() =>
        openai.chat.completions.create(good).then(
          () => 'ok',
          () => 'no',
        ),
      )
      .toBe('ok');
  });
});

describe('a provider that fails', () => {
  const request = { model: 'openai/gpt-4o', messages: ask('Hello.') };

  it.each([
    [
      { status: 429, message: 'Rate limit exceeded', headers: { 'retry-after': '120' } },
      { status: 429, code: 'rate_limit_exceeded' },
      '120',
    ],
    [
      { status: 429, message: 'Rate limit exceeded', headers: { 'x-ratelimit-reset': '120' } },
      { status: 429, code: 'rate_limit_exceeded' },
      '120',
    ],
    [{ status: 500, message: 'Oops' }, { status: 502, code: 'provider_error', type: 'server_error' }, null],
    [
      { status: 401, message: 'Bad key sk-or-v1-0123456789abcdef0123456789abcdef' },
      { status: 502, code: 'provider_error' },
      null,
    ],
    [{ status: 400, message: 'top_k is not supported' }, { status: 400, type: 'invalid_request_error' }, null],
  ])('%j is reported by the status', async (error, told, retryAfter) => {
    const { openai, steps } = await start({ respond: () => ({ error }), env: { CONTEXT_STEP_RETRIES: '1' } });
    for (const stream of [false, true]) {
      const failure = await failureOf(openai.chat.completions.create({ ...request, stream }));
      expect(failure).toMatchObject(told);
      expect((failure as { headers: Headers }).headers.get('retry-after')).toBe(retryAfter);
      expect(String(failure)).not.toContain('sk-or');
    }
    // What may pass was tried once more.
    expect(steps()).toHaveLength(told.status === 502 && error.status === 500 ? 4 : 2);
  });

  it('by its silence is not waited for again', async () => {
    const env = { FIRST_TOKEN_TIMEOUT: '1', CONTEXT_STEP_RETRY_DELAY_MS: '0' };
    const { openai, steps } = await start({ respond: () => ({ hang: true }), env });
    expect(await failureOf(openai.chat.completions.create(request))).toMatchObject({ status: 502 });
    expect(steps()).toHaveLength(1);
  });

  it('in the middle is reported in the stream, which ends', async () => {
    const { openai, baseUrl } = await start({
      respond: () => ({ errorInStream: { message: 'The upstream broke.', code: 502 }, afterText: 'Half of it' }),
    });
    const stream = await openai.chat.completions.create({ ...request, stream: true });
    let text = '';
    await expect(
      (async () => {
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
      })(),
    ).rejects.toThrow(/trouble|provider/i);
    expect(text).toBe('Half of it');
    const raw = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...request, stream: true }),
    });
    const last = (await raw.text()).trim().split('\n\n').at(-1) ?? '';
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
      error: { type: 'server_error', code: 'provider_error' },
    });
  });
});

describe('a client that disconnects', () => {
  it.each(['stream', 'whole', 'before the first word'] as const)('ends the call of the provider: %s', async (how) => {
    const { openai, provider } = await start({
      respond: () => (how === 'before the first word' ? { hang: true } : { silentAfter: ['So it ', 'begins '] }),
    });
    const gone = new AbortController();
    const call = openai.chat.completions.create(
      { model: 'openai/gpt-4o', messages: ask('Go on and on.'), stream: how === 'stream' },
      { signal: gone.signal },
    );
    const read = (async () => {
      const answer = await call;
      if (Symbol.asyncIterator in answer) for await (const _ of answer);
    })().catch(() => undefined);
    await (how === 'before the first word'
      ? provider.waitForRequest()
      : provider.waitForText((sent) => sent.includes('begins')));
    gone.abort();
    await read;
    const closed = await provider.waitForRequest(({ state }) => state !== 'open');
    expect(closed.state).toBe('client-closed');
  });
});

describe('a server that stops', () => {
  const request = { model: 'openai/gpt-4o', messages: ask('Go on and on.') };

  it.each(['stream', 'whole'] as const)('tells a waiting client, and ends the call: %s', async (how) => {
    const { openai, provider, services } = await start({ respond: () => ({ silentAfter: ['So it ', 'begins '] }) });
    const read = (async () => {
      const answer = await openai.chat.completions.create({ ...request, stream: how === 'stream' });
      if (Symbol.asyncIterator in answer) for await (const _ of answer);
    })();
    const failure = failureOf(read);
    await provider.waitForText((sent) => sent.includes('begins'));
    await services.completions.close({ limitMs: 0 });
    expect(await failure).toMatchObject({ code: 'stopping', type: 'server_error' });
    expect((await provider.waitForRequest(({ state }) => state !== 'open')).state).toBe('client-closed');
    expect(await failureOf(openai.chat.completions.create(request))).toMatchObject({ status: 503, code: 'stopping' });
  });

  it('lets an answer finish that is nearly complete', async () => {
    const { openai, provider, services } = await start({
      respond: () => ({ chunks: Array.from({ length: 30 }, (_, index) => `word${index} `), chunkDelayMs: 10 }),
    });
    const answer = openai.chat.completions.create(request);
    await provider.waitForText((sent) => sent.includes('word2 '));
    await services.completions.close({ limitMs: 60_000 });
    expect((await answer).choices[0]?.message.content).toContain('word29 ');
  });
});

describe('a local server with /v1', () => {
  it('is asked by the bare name of its model, without usage or a timely finish', async () => {
    await using upstream = await startModelServer({
      answer: () => ({
        sse: streamOf(
          chunk({ role: 'assistant', content: null }),
          chunk({ reasoning_content: 'Clay ' }),
          chunk({ reasoning_content: 'first.' }),
          chunk({ content: 'Knead' }),
          chunk({ content: ' it.' }),
        ),
      }),
      others: { '/v1/models': { data: [{ id: 'qwen3-4b', owned_by: 'llamacpp', meta: { n_ctx_train: 32_768 } }] } },
    });
    const { openai, services } = await start({
      respond: () => ({ text: 'not asked' }),
      env: { OPENAI_COMPATIBLE_BASE_URL: upstream.baseUrl },
    });
    await services.models.refresh(true);
    const request = {
      model: 'qwen3-4b',
      messages: ask('How?'),
      // Samplers of such servers, which OpenAI has no name for.
      ...({ top_k: 20, min_p: 0.1, chat_template_kwargs: { enable_thinking: true } } as object),
    };
    const answer = await openai.chat.completions.create(request);
    expect(answer).toMatchObject({
      model: 'local/qwen3-4b',
      choices: [{ message: { content: 'Knead it.', reasoning_content: 'Clay first.' }, finish_reason: 'stop' }],
    });
    // Counted here, as the server does not.
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(0);
    expect(answer.usage?.completion_tokens).toBeGreaterThan(3);
    expect(upstream.bodies[0]).toMatchObject({ model: 'qwen3-4b', top_k: 20, min_p: 0.1 });
    expect(upstream.bodies[0]).toMatchObject({ chat_template_kwargs: { enable_thinking: true } });
  });

  it('writes arguments in its own way, and reads them so again', async () => {
    const written = '{ "id": 12345678901234567890,  "size": 1.0 }';
    await using upstream = await startModelServer({
      answer: ({ messages }) => ({
        sse:
          messages.at(-1)?.role === 'tool'
            ? streamOf(chunk({ content: 'Done.' }))
            : streamOf(
                call(0, { id: 'a1', type: 'function', function: { name: 'find', arguments: '' } }),
                call(0, { function: { arguments: written.slice(0, 9) } }),
                call(0, { function: { arguments: written.slice(9) } }),
                call(1, { id: 'a2', type: 'function', function: { name: 'list', arguments: '{}' } }),
              ),
      }),
    });
    const { openai } = await start({
      respond: () => ({ text: 'not asked' }),
      env: { OPENAI_COMPATIBLE_BASE_URL: upstream.baseUrl },
    });
    const tools = ['find', 'list'].map((name) => ({ type: 'function' as const, function: { name } }));
    const request = { model: 'local/m', tools };
    const first = await openai.chat.completions.create({ ...request, messages: ask('Find it.') });
    const said = first.choices[0]?.message;
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(said?.tool_calls).toEqual([
      { id: 'a1', type: 'function', function: { name: 'find', arguments: written } },
      { id: 'a2', type: 'function', function: { name: 'list', arguments: '{}' } },
    ]);
    const results = ['a1', 'a2'].map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'ok' }));
    await openai.chat.completions.create({ ...request, messages: [...ask('Find it.'), said!, ...results] });
    expect(upstream.bodies[1]?.messages[1]?.tool_calls).toMatchObject([
      { function: { arguments: written } },
      { function: { arguments: '{}' } },
    ]);
  });

  const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
  /** Without usage, and with the finish in a chunk of its own: some report `stop` although there are calls. */
  const streamOf = (...chunks: readonly string[]) => `${chunks.join('')}${chunk({}, 'stop')}data: [DONE]\n\n`;
});

it.each([
  ['response_format', { response_format: jsonSchema() }],
  ['tool_choice', { tool_choice: 'required', tools: [offeredTool()] }],
  ['tool_choice', { tool_choice: { type: 'function', function: { name: 'tl_list_content' } }, tools: [offeredTool()] }],
  ['tool_choice', { tool_choice: 'required', tools: [offeredTool()], response_format: jsonSchema() }],
])('the basic assistant refuses %s, which it cannot guarantee, with 400', async (path, options) => {
  const { baseUrl } = await start({ respond: () => ({ text: 'not asked' }) });
  const send = (more: object) =>
    fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'throughline/offline', messages: ask('List my pages.'), ...more }),
    });
  const refused = await send(options);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    error: { message: expect.stringContaining(`Leave out "${path}", or choose another model.`), param: path },
  });
  for (const accepted of [{ response_format: { type: 'text' } }, { tool_choice: 'auto', tools: [offeredTool()] }]) {
    expect((await send(accepted)).status).toBe(200);
  }
});

function jsonSchema() {
  return { type: 'json_schema', json_schema: { name: 'pages', schema: { type: 'object', properties: {} } } } as const;
}

function offeredTool() {
  return {
    type: 'function',
    function: { name: 'tl_list_content', parameters: { type: 'object', properties: {} } },
  } as const;
}

describe('an answer that fills the window while it is written', () => {
  it('continues after a compaction, with a comment during it and no other text', async () => {
    const part = (name: string) => Array.from({ length: 2_000 }, (_, line) => `${name} line ${line}. `);
    const { baseUrl, steps, summaries } = await start({
      respond: (_, index) => (index === 0 ? { silentAfter: part('first') } : { chunks: ['and ', 'the end.'] }),
    });
    const messages = longTalk(6_000);
    const response = await fetch(`${baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'openai/gpt-4o', messages, stream: true, stream_options: { include_usage: true } }),
    });
    const body = await response.text();
    const events = body.trim().split('\n\n');
    expect(events.filter((event) => event === ': compacting').length).toBeGreaterThan(0);
    const chunks = events.filter((event) => event.startsWith('data: {')).map((event) => JSON.parse(event.slice(6)));
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text.endsWith('and the end.')).toBe(true);
    const kept = text.slice(0, -'and the end.'.length);
    expect(part('first').join('').startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThan(1_000);
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason)).toHaveLength(1);
    expect(steps()).toHaveLength(2);
    expect(summaries().length).toBeGreaterThan(0);
    // The second call knows how the text ends.
    expect(JSON.stringify(steps()[1]?.messages)).toContain(JSON.stringify(kept.slice(-200)).slice(1, -1));
    expect(steps()[0]?.state).toBe('client-closed');
  });
});

describe('an answer that fills the window again and again', () => {
  it('ends as cut by its length, after as many tries as are allowed', async () => {
    const { openai, steps } = await start({
      respond: () => ({ silentAfter: Array.from({ length: 2_500 }, (_, line) => `Line ${line} of it. `) }),
      env: { CONTEXT_MAX_CONTINUATIONS: '1' },
    });
    const answer = await openai.chat.completions.create({ model: 'openai/gpt-4o', messages: longTalk(6_000) });
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(steps()).toHaveLength(2);
    // All of it, as it was charged.
    expect(answer.usage?.completion_tokens).toBeGreaterThan(12_000);
  });

  it('is not continued beyond what its client wants', async () => {
    const { openai, steps } = await start({ respond: () => ({ text: 'So much. ', finishReason: 'length' }) });
    const request = { model: 'openai/gpt-4o', messages: longTalk(6_000), max_tokens: 3 };
    const answer = await openai.chat.completions.create(request);
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(steps()).toHaveLength(1);
    expect(steps()[0]?.body.max_tokens).toBe(3);
  });
});

/** Talk of about so many tokens, after a first request. */
function longTalk(tokens: number): { role: 'user' | 'assistant'; content: string }[] {
  const turns = Array.from({ length: 10 }, (_, turn) => [
    { role: 'user' as const, content: turn === 0 ? 'Write the story of a kiln.' : `And what about part ${turn}?` },
    { role: 'assistant' as const, content: `Part ${turn}. ${'word '.repeat(tokens / 10)}` },
  ]);
  return [...turns.flat(), { role: 'user', content: 'Now tell all of it at length.' }];
}
