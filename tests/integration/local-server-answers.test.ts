import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LocalConnection } from '#server/models/local-connection';
import { LearnedWindows } from '#server/models/learned-windows';
import { findLocalLimits } from '#server/models/model-limits';
import { answerText, say } from '#tests/support/chat-client';
import { startFakeOllama } from '#tests/support/fake-ollama';
import {
  callsTools,
  chunk,
  type SentBody,
  type ServerAnswer,
  saysText,
  startServerChat,
} from '#tests/support/model-server';
import { startTestServices } from '#tests/support/test-services';

/*
 * Answers of real model servers, word for word (tests/fixtures/model-servers/local-answers.json): llama-cpp-python 0.3.36
 * (lcp), llama.cpp's llama-server 0.5 (ls) and Ollama of August 2026 (ol), each in the situation in which it came.
 */

interface Recorded {
  readonly id: string;
  readonly status: number;
  readonly body?: unknown;
  readonly raw?: string;
}

const recorded = new Map(
  (JSON.parse(readFileSync('tests/fixtures/model-servers/local-answers.json', 'utf8')) as Recorded[]).map((each) => [
    each.id,
    each,
  ]),
);

function answerOf(id: string): ServerAnswer {
  const { status, body, raw } = recorded.get(id)!;
  return raw === undefined ? { status, json: body } : { sse: raw };
}

const rawOf = (id: string) => recorded.get(id)!.raw!;
const calls = ({ messages }: SentBody) => messages.map(({ tool_calls: made = [] }) => made);
const lastRole = ({ messages }: SentBody) => messages.at(-1)!.role;

/** Looks at pages and posts in one step, then says something. */
const work = (body: SentBody) =>
  lastRole(body) === 'tool' || calls(body).some((made) => made.length > 0)
    ? saysText('Both are there.')
    : callsTools(['list_content', { type: 'page' }], ['list_content', { type: 'post' }]);

it.each(['lcp-interrupted', 'ol-runner-died'])('does not take %s for a whole answer', async (id) => {
  await using chat = await startServerChat({ answer: () => answerOf(id) });
  await expect(say(chat.services, chat.session.id, 'Hello?')).rejects.toThrow(/no complete answer|broke off/);
});

it('does not fill the window with thoughts that Ollama does not count apart', async () => {
  const thoughts = chunk({
    content: '',
    reasoning: Array.from({ length: 100 }, (_, index) => `Thought ${index}: the user says hello. `).join(''),
  });
  await using chat = await startServerChat(
    {
      answer: () => ({
        sse:
          rawOf('ol-thoughts') +
          thoughts +
          chunk({ content: 'Hello!' }) +
          chunk({}, 'stop') +
          rawOf('ol-usage') +
          'data: [DONE]\n\n',
      }),
    },
    // With few tools: the recorded report belongs to a small request.
    { env: { CONTEXT_WINDOW: '4096' } },
  );
  const figures = async () => (await chat.services.context.inspect(chat.session)).usage;
  await say(chat.services, chat.session.id, 'Hello');
  await chat.services.messages.append(chat.session.id, {
    role: 'user',
    parts: [{ type: 'text', content: { text: 'And?' } }],
  });
  // 1,053 tokens of the request and 1,316 of the answer are reported; the answer itself is a word.
  expect((await figures()).currentTokens).toBeLessThan(1_250);
});

/** The message in a recorded refusal. */
const messageOf = (id: string) => (recorded.get(id)!.body as { error: { message: string } }).error.message;
const bodyOf = (id: string) => recorded.get(id)!.body;

/** What the chat says about a refusal, and how often the request is sent. */
const REFUSED: readonly (readonly [string, RegExp, number])[] = [
  ['ls-no-jinja', /cannot use tools.*requires --jinja/s, 1],
  ['ol-no-tools', /cannot use tools.*does not support tools/s, 1],
  ['ol-embedding', /did not accept the request\..*does not support chat/s, 1],
  ['ls-router-unknown', /does not have this model\. Choose another one\..*not found/s, 1],
  ['ol-broken-model', /could not load the model\. Read its log.*tensor 'output_norm\.weight' not found/s, 1],
  ['ol-busy', /has trouble right now\..*server busy/s, 3],
];

it.each(REFUSED)('explains %s', async (id, text, requests) => {
  await using chat = await startServerChat({ answer: () => answerOf(id) });
  await expect(say(chat.services, chat.session.id, 'Hello?')).rejects.toThrow(text);
  expect(chat.steps()).toHaveLength(requests);
});

it.each([
  'model requires more system memory (5.6 GiB) than is available (3.2 GiB)',
  'unable to load model: /models/blobs/sha256-1',
  'Failed to load model "studio-7b". Error: insufficient memory.',
])('does not repeat a request when the model cannot be loaded: %s', async (message) => {
  await using chat = await startServerChat({ answer: () => ({ status: 500, json: { error: message } }) });
  await expect(say(chat.services, chat.session.id, 'Hello?')).rejects.toThrow(/could not load the model/);
  expect(chat.steps()).toHaveLength(1);
});

it.each([1, 2])('answers after %d times ol-busy, on /v1 and on /api/chat', async (times) => {
  await using chat = await startServerChat({
    answer: (_body, index) => (index < times ? answerOf('ol-busy') : saysText('Here.')),
  });
  expect(answerText(await say(chat.services, chat.session.id, 'Hello?'))).toBe('Here.');
  let count = 0;
  await using ollama = await startFakeOllama({
    models: [{ name: 'studio:3b' }],
    usualContext: 16_384,
    refuse: () => ((count += 1) <= times ? { status: 503, message: messageOf('ol-busy') } : null),
  });
  await using services = await startTestServices({
    OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl,
    DEFAULT_MODEL: 'local/studio:3b',
    CONTEXT_STEP_RETRY_DELAY_MS: '1',
  });
  const { id } = await services.sessions.create({ ownerId: 'own_local' });
  expect(answerText(await say(services, id, 'Hello?'))).toBe('Done.');
});

it.each(['ol-broken-model', 'ol-overflow-nested', 'ol-overflow-words'])('understands %s on /api/chat', async (id) => {
  const isOverflow = id.startsWith('ol-overflow');
  let count = 0;
  await using ollama = await startFakeOllama({
    models: [{ name: 'studio:3b' }],
    usualContext: 32_768,
    refuse: () =>
      !isOverflow || (count += 1) === 1 ? { status: isOverflow ? 400 : 500, message: messageOf(id) } : null,
  });
  await using services = await startTestServices({
    OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl,
    DEFAULT_MODEL: 'local/studio:3b',
    CONTEXT_BACKGROUND_SUMMARIES: 'false',
  });
  const { id: sessionId } = await services.sessions.create({ ownerId: 'own_local' });
  const answer = say(services, sessionId, 'Hello?');
  if (isOverflow) expect(answerText(await answer)).toBe('Done.');
  else await expect(answer).rejects.toThrow(/could not load the model/);
});

describe('the recorded description of', () => {
  async function described(others: Readonly<Record<string, unknown>>, name: string) {
    await using chat = await startServerChat({ answer: () => saysText('Yes.'), others });
    const local = new LocalConnection({ baseUrl: chat.server.baseUrl, apiKey: undefined });
    const kind = await local.kind();
    return { kind, names: local.names(), model: local.find(name) };
  }

  it('llama-cpp-python (lcp-models) names no window', async () => {
    expect(await described({ '/v1/models': bodyOf('lcp-models') }, '/models/studio-7b.gguf')).toMatchObject({
      kind: 'llama-cpp-python',
      model: { loadedContext: null },
    });
  });

  it('a router (ls-router-props, ls-router-models) has its models, loaded or not', async () => {
    const found = await described(
      { '/props': bodyOf('ls-router-props'), '/v1/models': bodyOf('ls-router-models') },
      'studio-7b',
    );
    expect(found).toMatchObject({ names: ['studio-7b', 'studio-1b'], model: { loadedContext: 4_096 } });
  });

  it('Ollama (ol-ps, ol-ps-empty, ol-load) shows the window only after a request of ours', async () => {
    let isLoaded = false;
    const model = { name: 'studio:3b', digest: 'abc' };
    await using chat = await startServerChat(
      {
        answer: () => saysText('Yes.'),
        others: {
          '/api/ps': () => bodyOf(isLoaded ? 'ol-ps' : 'ol-ps-empty'),
          '/api/tags': { models: [model] },
          '/api/show': { model_info: { 'llama.context_length': 131_072 }, capabilities: ['completion', 'tools'] },
          '/api/generate': () => {
            isLoaded = true;
            return bodyOf('ol-load');
          },
        },
      },
      { model: 'local/studio:3b' },
    );
    const limits = () => chat.services.models.limits('local/studio:3b');
    await chat.services.models.refresh(true);
    expect(limits()).toMatchObject({ contextWindow: 4_096, known: false });
    await chat.services.models.resolve('local/studio:3b').prepare(AbortSignal.timeout(10_000));
    expect(limits()).toMatchObject({ contextWindow: 4_096, known: true });
  });
});

it.each([
  ['ls-template-caps', bodyOf('ls-template-caps'), false],
  ['the same with parallel calls', withCaps({ supports_parallel_tool_calls: true }), true],
  ['no capabilities', withCaps(null), true],
  ['a template without tools', withCaps({ supports_tools: false }), true],
])('sends calls as %s allows', async (_, props, isParallel) => {
  await using chat = await startServerChat({ answer: work, others: { '/props': props } });
  await chat.services.models.refresh(true);
  expect(answerText(await say(chat.services, chat.session.id, 'Look at the site.'))).toBe('Both are there.');
  const most = Math.max(...calls(chat.steps().at(-1)!).map((made) => made.length));
  expect(most).toBe(isParallel ? 2 : 1);
  expect(chat.steps()).toHaveLength(2);
});

/** The recorded properties of llama-server with other capabilities of its template. */
function withCaps(caps: object | null) {
  const props = bodyOf('ls-template-caps') as { readonly chat_template_caps: object };
  return { ...props, chat_template_caps: caps && { ...props.chat_template_caps, ...caps } };
}

describe('learned windows', () => {
  const store = () => {
    let kept: { models: never; fetchedAt: number } | null = null;
    return {
      load: () => Promise.resolve(kept),
      save: (_: string, models: unknown, fetchedAt: number) => {
        kept = { models: models as never, fetchedAt };
        return Promise.resolve();
      },
    };
  };
  const limits = (loadedContext: number | null) =>
    findLocalLimits('local/m', { name: 'm', loadedContext, longestContext: null });

  it('outlive the process, and go when the server tells another window', async () => {
    const options = { store: store(), now: () => 1, onFault: () => undefined };
    const first = await LearnedWindows.load(options);
    expect(await first.learn('local/m', 4_096, 'error', limits(16_000))).toBe(true);
    expect(await first.learn('local/m', 8_192, 'error', limits(16_000))).toBe(false);
    const second = await LearnedWindows.load(options);
    expect(second.bound('local/m', limits(16_000)).contextWindow).toBe(4_096);
    expect(second.bound('local/m', limits(32_000)).contextWindow).toBe(32_000);
    expect(second.bound('local/other', limits(16_000)).contextWindow).toBe(16_000);
  });
});
