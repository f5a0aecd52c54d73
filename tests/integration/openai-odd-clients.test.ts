import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CompletionsServer, startCompletionsServer } from '#tests/support/completions-server';
import { isDeep } from '#tests/support/deep';

/* What clients really send: histories that no client library would write, and fields that are odd but harmless. */

const RUNS = isDeep ? 500 : 12;

let server: CompletionsServer;
beforeAll(async () => {
  server = await startCompletionsServer({ respond: () => ({ text: 'Yes.' }) });
});
afterAll(async () => server[Symbol.asyncDispose]());

const post = (body: object) =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4o', ...body }),
  });

const ask = (content: unknown) => [{ role: 'user', content }];

const words = fc.constantFrom('', ' ', 'Hello.', 'null', '{"a":1}', '<|endoftext|>', 'é\u202e', 'x'.repeat(3_000));
const texts = fc.oneof(words, fc.array(fc.record({ type: fc.constant('text'), text: words }), { maxLength: 2 }));
/** Few, so that they come again, and belong to nothing. */
const callId = fc.constantFrom('call_1', 'call_2', '1');
const call = fc.record({
  id: callId,
  type: fc.constant('function'),
  function: fc.record({
    name: fc.constantFrom('look', 'ask_user', 'a'.repeat(64)),
    arguments: fc.constantFrom('', '{}', '{"a":1}', 'no json', '[1,2', '"text"', 'null', '12345678901234567890'),
  }),
});
const image = fc.record({
  type: fc.constant('image_url'),
  image_url: fc.record({
    url: fc.constantFrom('data:image/png;base64,iVBORw0KGgo=', 'https://a.example/x.png'),
    detail: fc.constantFrom('low', 'auto'),
  }),
});
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content: texts, name: fc.constant('ada') }),
  fc.record({ role: fc.constant('user'), content: texts }),
  fc.record({ role: fc.constant('user'), content: fc.array(image, { maxLength: 2 }) }),
  fc.record(
    {
      role: fc.constant('assistant'),
      content: fc.oneof(texts, fc.constant(null)),
      refusal: fc.constantFrom(null, 'No.'),
      reasoning_content: fc.constant('Hm.'),
      tool_calls: fc.oneof(fc.constant(null), fc.array(call, { maxLength: 3 })),
    },
    { requiredKeys: ['role'] },
  ),
  fc.record({ role: fc.constant('tool'), tool_call_id: callId, content: texts }),
);

/** Fields as the web interface of llama.cpp, LangChain, the AI SDK and others send them. */
const fields = fc.record(
  {
    tools: fc.constantFrom(null, []),
    tool_choice: fc.constantFrom(null, 'auto', 'none', 'required'),
    stop: fc.constantFrom(null, '', [], ['\n']),
    n: fc.constantFrom(null, 1),
    max_tokens: fc.constantFrom(null, -1, 5),
    logprobs: fc.constantFrom(null, false),
    response_format: fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
    stream_options: fc.constantFrom(null, {}, { include_usage: true, chunk_include_usage: true }),
    cache_prompt: fc.constant(true),
    samplers: fc.constant('edkypmxt'),
    timings_per_token: fc.constant(false),
    repeat_last_n: fc.constant(64),
    min_p: fc.constant(0.05),
    keep_alive: fc.constant('5m'),
    functions: fc.constant(null),
    metadata: fc.constantFrom(null, {}),
  },
  { requiredKeys: [] },
);

describe('any content of a conversation', () => {
  it.each(['openai/gpt-4o', 'anthropic/claude-sonnet-4', 'local/loaded', 'throughline/offline'])(
    'it is answered by %s, or refused if it is empty',
    async (model) => {
      const seen = new Map<number, number>();
      // The basic assistant refuses what it cannot promise: a forced call and JSON.
      const unforced = model === 'throughline/offline' ? { tool_choice: 'auto', response_format: null } : {};
      const conversation = fc.array(message, { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(conversation, fields, fc.boolean(), async (messages, more, stream) => {
          const response = await post({ ...more, ...unforced, model, messages, stream });
          const text = await response.text();
          seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
          expect([200, 400], text).toContain(response.status);
          if (response.status === 400) expect(text).toContain('must say something');
          else expect(text).not.toContain('"error"');
        }),
        { numRuns: RUNS },
      );
      expect(seen.get(200)).toBeGreaterThan(0.7 * RUNS);
    },
  );

  it('it may be instructions alone', async () => {
    const messages = [{ role: 'system', content: 'Say yes.' }];
    const response = await post({ model: 'local/loaded', messages });
    expect(response.status).toBe(200);
    expect(server.steps().at(-1)?.body).toMatchObject({ messages });
  });
});

describe('unsupported fields', () => {
  it.each([
    ['nothing', ask('')],
    ['an empty list', ask([])],
    ['an address that is none', ask([{ type: 'image_url', image_url: { url: 'https://' } }])],
    ['an image of no bytes', ask([{ type: 'image_url', image_url: { url: 'data:,' } }])],
    ['an image that is no base64', ask([{ type: 'image_url', image_url: { url: 'data:image/png;base64,!!!' } }])],
    ['a file that is no base64', ask([{ type: 'file', file: { file_data: 'data:application/pdf,%zz' } }])],
    ['half a letter', ask('\ud83d')],
    ['a letter that no text has', ask('a\u0000b')],
  ])('%s', async (_what, messages) => {
    for (const model of ['openai/gpt-4o', 'local/loaded']) {
      const response = await post({ model, messages });
      const text = await response.text();
      expect(response.status, text).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ error: { type: 'invalid_request_error', code: null } });
    }
  });
});
