import { describe, expect, it } from 'vitest';
import { countTokens } from '#server/context/tokens';
import { answerText, say } from '#tests/support/chat-client';
import {
  type SentBody,
  type SentMessage,
  type ServerAnswer,
  type ServerChat,
  saysText,
  startServerChat,
  usageChunk,
} from '#tests/support/model-server';

/*
 * Model servers whose context is smaller than what we assume. How each behaves was recorded from real ones: Ollama drops
 * the oldest messages and answers 200 on /v1, llama.cpp answers 400 and names the window, llama-cpp-python ends the
 * stream.
 */

const tokensOf = ({ messages, tools = [] }: Pick<SentBody, 'messages' | 'tools'>) =>
  countTokens(JSON.stringify(messages)) + countTokens(JSON.stringify(tools));

const WORDS = 'The kiln is fired with birch from the hill behind the house, twice a year. ';

/** Messages as Ollama keeps them: system messages, and of the rest the newest that fit. */
function cut(body: SentBody, window: number): readonly SentMessage[] {
  const system = body.messages.filter(({ role }) => role === 'system');
  let rest = body.messages.filter(({ role }) => role !== 'system');
  while (rest.length > 1 && tokensOf({ messages: [...system, ...rest], tools: body.tools }) > window)
    rest = rest.slice(1);
  return [...system, ...rest];
}

const refusal = (tokens: number, window: number): ServerAnswer => ({
  status: 400,
  json: {
    error: {
      code: 400,
      message: `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`,
      type: 'exceed_context_size_error',
      n_prompt_tokens: tokens,
      n_ctx: window,
    },
  },
});

/** Answers of servers with this window; `lost` counts requests of which the server has dropped something. */
const SERVERS: Readonly<Record<string, (window: number, lost: { count: number }) => (body: SentBody) => ServerAnswer>> =
  {
    'cuts silently': (window, lost) => (body) => {
      const kept = cut(body, window);
      if (kept.length < body.messages.length) lost.count += 1;
      return saysText(WORDS.repeat(4), usageChunk(tokensOf({ messages: kept, tools: body.tools }), 70));
    },
    'answers 400': (window, lost) => (body) => {
      const tokens = tokensOf(body);
      if (tokens <= window) return saysText(WORDS.repeat(4), usageChunk(tokens, 70));
      lost.count += 1;
      return refusal(tokens, window);
    },
    'ends streams': (window, lost) => (body) => {
      const tokens = tokensOf(body);
      if (tokens <= window) return saysText(WORDS.repeat(4), usageChunk(tokens, 70));
      if (!body.stream) return refusal(tokens, window);
      lost.count += 1;
      return { sse: '' };
    },
  };

const WINDOW = 4_096;

async function warningOf(chat: ServerChat) {
  return (await chat.services.context.inspect(await chat.services.sessions.get(chat.session.id))).usage;
}

describe.each(Object.keys(SERVERS))('a server with a window of 4,096 that %s', (name) => {
  it('answers 40 messages with nothing lost, and its window is learned once', async () => {
    const lost = { count: 0 };
    await using chat = await startServerChat(
      { answer: SERVERS[name]!(WINDOW, lost) },
      { env: { CONTEXT_WINDOW: '16000' } },
    );
    const { services, session } = chat;
    for (let index = 0; index < 20; index += 1) {
      const answer = await say(services, session.id, `Request ${index}: ${WORDS}`);
      expect(answerText(answer)).toContain('The kiln is fired');
    }
    const { contextWindow, warning } = await warningOf(chat);
    expect(contextWindow).toBe(WINDOW);
    expect(warning).toContain('4,096');
    // An answer to a request that was cut shows the window; what is refused is sent again, shorter.
    if (name === 'cuts silently') expect(lost.count).toBe(1);
    const stored = (await services.messages.list(session.id, { limit: 1_000 })).items;
    expect(stored.filter(({ role, isSummary }) => role === 'user' && !isSummary)).toHaveLength(20);
    const overflows = (await chat.compactions()).filter(({ trigger }) => trigger === 'provider-overflow');
    expect(overflows.length).toBeLessThanOrEqual(lost.count);
    expect(lost.count).toBeLessThanOrEqual(2);
  }, 120_000);
});

it.each([
  ['llama.cpp', refusal(5_195, 8_192)],
  [
    'llama.cpp behind Ollama',
    { status: 400, json: { error: { message: JSON.stringify((refusal(9_000, 8_192) as { json: object }).json) } } },
  ],
  [
    'llama-cpp-python',
    {
      status: 400,
      json: {
        error: {
          message: "This model's maximum context length is 8192 tokens. However, you requested 9081 tokens.",
          code: 'context_length_exceeded',
        },
      },
    },
  ],
  [
    'LM Studio',
    {
      status: 400,
      json: {
        error:
          'Reached context length of 8192 tokens with model (arch: x) that does not currently support mid-generation context overflow.',
      },
    },
  ],
  [
    'DashScope',
    {
      status: 400,
      json: { error: { message: 'Range of input length should be [1, 8192]', code: 'invalid_parameter_error' } },
    },
  ],
  ['vLLM', { status: 400, json: { error: { message: "This model's maximum context length is 8,192 tokens." } } }],
] as const)('takes the window from an error of %s, also above a configured one', async (_, error) => {
  await using chat = await startServerChat(
    { answer: (_body, index) => (index === 0 ? error : saysText('Here.')) },
    { env: { CONTEXT_WINDOW: '32000' } },
  );
  expect(answerText(await say(chat.services, chat.session.id, 'Hello?'))).toBe('Here.');
  const { contextWindow, warning } = await warningOf(chat);
  expect(contextWindow).toBe(8_192);
  expect(warning).toMatch(/takes 8,192 tokens, not 32,000: its server refused a longer request/);
  const [choice] = chat.services.models.list().filter(({ id }) => id === 'local/m');
  expect(choice).toMatchObject({ contextWindow: 8_192, warning });
});

describe('a server that omits cached tokens in its reports', () => {
  /** Reports the tokens of a request that are not in `cached`, as servers do that report what they have evaluated. */
  const omits =
    (cached: (body: SentBody, index: number) => number) =>
    (body: SentBody, index: number): ServerAnswer =>
      saysText(WORDS, usageChunk(Math.max(1, tokensOf(body) - cached(body, index)), 20));
  const fixed = ({ messages, tools }: SentBody) =>
    tokensOf({ messages: messages.filter(({ role }) => role === 'system'), tools });
  /** Everything up to the newest message. */
  const before = ({ messages, tools }: SentBody) => tokensOf({ messages: messages.slice(0, -1), tools });

  const long = WORDS.repeat(90);

  it.each<[string, Parameters<typeof omits>[0], readonly string[]]>([
    ['the instructions from the first request on', fixed, ['Hello?', long, 'And?', long]],
    ['all but the newest message', before, [long, 'Yes?', long, long]],
    [
      'all but the newest message from the second request on',
      (body, index) => (index > 0 ? before(body) : 0),
      [long, long, 'And?', long],
    ],
  ])('does not shrink the window when it omits %s', async (_, cached, texts) => {
    await using chat = await startServerChat({ answer: omits(cached) }, { env: { CONTEXT_WINDOW: '32000' } });
    for (const text of texts) expect(answerText(await say(chat.services, chat.session.id, text))).toContain('kiln');
    expect(await warningOf(chat)).toMatchObject({ contextWindow: 32_000 });
  });

  it.each([300, 2_047])('keeps the conversation usable when an error names a window of %d', async (window) => {
    await using chat = await startServerChat(
      { answer: (body, index) => (index === 0 ? refusal(tokensOf(body), window) : saysText('Here.')) },
      { env: { CONTEXT_WINDOW: '32000' } },
    );
    expect(answerText(await say(chat.services, chat.session.id, 'Hello?'))).toBe('Here.');
    expect(await warningOf(chat)).toMatchObject({ contextWindow: 32_000 });
  });
});

it('learns from two requests when a cut prompt is first seen in the middle of a conversation', async () => {
  await using chat = await startServerChat(
    { answer: (_body, index) => saysText(WORDS, index < 3 ? '' : usageChunk(2_050, 20)) },
    { env: { CONTEXT_WINDOW: '32000' } },
  );
  for (const text of ['One.', 'Two.', 'Three.']) await say(chat.services, chat.session.id, text + WORDS.repeat(60));
  await say(chat.services, chat.session.id, 'Four.');
  expect((await warningOf(chat)).contextWindow).toBe(32_000);
  await say(chat.services, chat.session.id, 'Five.');
  expect((await warningOf(chat)).contextWindow).toBe(4_096);
});
