import { describe, expect, it } from 'vitest';
import type { Services } from '#server/services';
import { answerText, say } from '#tests/support/chat-client';
import {
  type FakeOllama,
  type FakeOllamaAnswer,
  type FakeOllamaModel,
  startFakeOllama,
} from '#tests/support/fake-ollama';
import { startTestServices } from '#tests/support/test-services';

const MODEL = 'studio:3b';

interface Chat extends AsyncDisposable {
  readonly services: Services;
  readonly say: (text: string) => ReturnType<typeof say>;
  readonly sessionId: string;
}

async function startChat(ollama: FakeOllama, env: Record<string, string> = {}): Promise<Chat> {
  const services = await startTestServices({
    OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl,
    DEFAULT_MODEL: `local/${MODEL}`,
    CONTEXT_BACKGROUND_SUMMARIES: 'false',
    ...env,
  });
  const { id } = await services.sessions.create({ ownerId: 'own_local' });
  return {
    services,
    sessionId: id,
    say: (text) => say(services, id, text),
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}

const thoughts = Array.from({ length: 40 }, (_, index) => `I think about pot ${index}. `).join('');
const thoughtful: FakeOllamaAnswer = { thinking: thoughts, text: 'The kiln is warm.' };

describe('a conversation with Ollama', () => {
  it('loses nothing in 15 messages while the model is unloaded, loaded elsewhere and thinks', async () => {
    await using ollama = await startFakeOllama({
      models: [{ name: MODEL, capabilities: ['completion', 'tools', 'thinking'] }],
      answer: () => thoughtful,
      usualContext: 32_768,
    });
    await using chat = await startChat(ollama);
    for (let index = 0; index < 15; index += 1) {
      if (index % 5 === 1) ollama.unload();
      if (index % 5 === 3) ollama.loadElsewhere(MODEL, 2_048);
      expect(answerText(await chat.say(`Message number ${index} about pots.`))).toBe('The kiln is warm.');
    }
    expect(ollama.cuts).toBe(0);
    expect(await chat.services.compactions.list(chat.sessionId)).toEqual([]);
    const sent = JSON.stringify(ollama.chats.at(-1)?.messages);
    for (let index = 0; index < 15; index += 1) expect(sent).toContain(`Message number ${index} about`);
    expect(new Set(ollama.chats.map(({ path, options }) => `${path} ${String(options?.num_ctx)}`))).toEqual(
      new Set(['/api/chat 32768']),
    );
    expect(ollama.chats.every(({ truncate, shift }) => truncate === false && shift === false)).toBe(true);
  });

  it.each([
    ['the server’s own length', {}, {}, 16_384],
    ['the Modelfile’s', { parameters: 'num_ctx 20480' }, {}, 20_480],
    ['the one in the settings', {}, { CONTEXT_MODEL_WINDOWS: `local/${MODEL}=24000` }, 24_000],
    [
      'no more than the model was trained for',
      { trained: 12_288 },
      { CONTEXT_MODEL_WINDOWS: `local/${MODEL}=24000` },
      12_288,
    ],
  ])('works with %s as its window', async (_, model, env, window) => {
    await using ollama = await startFakeOllama({ models: [{ name: MODEL, ...model }], usualContext: 16_384 });
    await using chat = await startChat(ollama, env);
    await chat.say('Hello');
    expect(chat.services.models.limits(`local/${MODEL}`)).toMatchObject({ contextWindow: window, known: true });
    expect(ollama.chats.at(-1)?.options).toMatchObject({ num_ctx: window });
    expect(ollama.loads).toEqual([{ model: MODEL, context: window }]);
  });

  it("sends no context length for a shared model, and follows Ollama's report of each request", async () => {
    const model = { name: MODEL, parameters: 'num_ctx 16384' };
    const models = [model];
    await using ollama = await startFakeOllama({ models });
    await using chat = await startChat(ollama, { LOCAL_SHARE_MODELS: 'true' });
    const window = () => chat.services.models.limits(`local/${MODEL}`).contextWindow;
    await chat.services.models.refresh();
    expect(window()).toBe(4_096);
    await chat.say('Hello');
    expect(window()).toBe(16_384);
    ollama.loadElsewhere(MODEL, 2_048);
    await chat.services.models.refresh(true);
    expect(window()).toBe(16_384);
    model.parameters = 'num_ctx 20480';
    await chat.say('Hello again');
    await expect.poll(window).toBe(20_480);
    expect(ollama.chats.every(({ options }) => options?.num_ctx === undefined)).toBe(true);
  });
});

/*
 * Other versions and installations, by Ollama's release notes and documents: `context_length` of /api/ps and `truncate` of
 * /api/chat came in 2025; a proxy may serve it below a path and with a key; `ollama pull` replaces a model by a new one
 * with the same name; names of Hugging Face models contain slashes and capitals, and `latest` may be omitted; cloud models
 * run elsewhere, and are never loaded.
 */
describe('another Ollama', () => {
  type Options = Omit<Parameters<typeof startFakeOllama>[0], 'models' | 'answer'>;
  const HUGGING_FACE = 'hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M';

  it.each<[string, FakeOllamaModel, Options, Record<string, string>, number]>([
    ['an old version', { name: MODEL }, { isOld: true, usualContext: 2_048 }, {}, 4_096],
    [
      'an old version with a window in the settings',
      { name: MODEL },
      { isOld: true, usualContext: 2_048 },
      { CONTEXT_MODEL_WINDOWS: `local/${MODEL}=12000` },
      12_000,
    ],
    [
      'one behind a proxy with a path and a key',
      { name: MODEL },
      { prefix: '/ollama', apiKey: 'secret', usualContext: 16_384 },
      { OPENAI_COMPATIBLE_API_KEY: 'secret' },
      16_384,
    ],
    [
      'one with a model of Hugging Face',
      { name: HUGGING_FACE, parameters: 'num_ctx 8192' },
      {},
      { DEFAULT_MODEL: `local/${HUGGING_FACE}` },
      8_192,
    ],
    [
      'one whose model is named without latest',
      { name: 'studio:latest' },
      { usualContext: 16_384 },
      { DEFAULT_MODEL: 'local/studio' },
      16_384,
    ],
    ['one with a model in the cloud', { name: MODEL, isCloud: true }, { usualContext: 131_072 }, {}, 4_096],
  ])('%s gets the window in each request, and cuts nothing', async (_, model, options, env, window) => {
    await using ollama = await startFakeOllama({ models: [model], answer: () => thoughtful, ...options });
    await using chat = await startChat(ollama, env);
    for (let index = 0; index < 6; index += 1) {
      if (index % 3 === 1) ollama.unload();
      if (index % 3 === 2 && !model.isCloud) ollama.loadElsewhere(model.name, 2_048);
      expect(
        answerText(await chat.say(`Message ${index}: ${'The kiln is warm, and the bowls are dry. '.repeat(8)}`)),
      ).toBe('The kiln is warm.');
    }
    expect(ollama.cuts).toBe(0);
    expect(ollama.routes.filter((route) => route === 'POST /api/generate')).toHaveLength(1);
    const { usage } = await chat.services.context.inspect(await chat.services.sessions.get(chat.sessionId));
    expect(usage.contextWindow).toBe(window);
    expect(new Set(ollama.chats.map(({ path, options: sent }) => `${path} ${String(sent?.num_ctx)}`))).toEqual(
      new Set([`/api/chat ${window}`]),
    );
  });

  it('finds the window of a new version of a model by itself', async () => {
    const models = [{ name: MODEL, parameters: 'num_ctx 8192', digest: 'one' }];
    await using ollama = await startFakeOllama({ models });
    await using chat = await startChat(ollama);
    const window = () => chat.services.models.limits(`local/${MODEL}`).contextWindow;
    await chat.say('Hello');
    expect(window()).toBe(8_192);
    models[0] = { name: MODEL, parameters: 'num_ctx 24576', digest: 'two' };
    ollama.unload();
    await chat.services.models.refresh(true);
    await chat.say('Hello again');
    expect(window()).toBe(24_576);
    expect(ollama.chats.at(-1)?.options).toMatchObject({ num_ctx: 24_576 });
  });
});

describe('an answer that repeats itself', () => {
  const passage = 'The kiln is warm and the bowls are ready for glazing. ';

  it.each<[string, FakeOllamaAnswer, string]>([
    ['in its text', { text: passage.repeat(60) }, 'text'],
    ['in its thoughts', { thinking: passage.repeat(60), text: 'Done.' }, 'reasoning'],
  ])('%s is ended, kept once and not continued', async (_, answer, type) => {
    await using ollama = await startFakeOllama({
      models: [{ name: MODEL }],
      answer: () => answer,
      usualContext: 16_384,
    });
    await using chat = await startChat(ollama);
    await chat.say('Hello').catch(() => null);
    const { items } = await chat.services.messages.list(chat.sessionId, { limit: 10 });
    const said = items.flatMap(({ role, parts }) => (role === 'assistant' ? parts : []));
    expect(said.map((part) => [part.type, 'text' in part.content ? part.content.text.trim() : ''])).toEqual([
      [type, passage.trim()],
    ]);
    expect(items.at(-1)?.error).toContain('said the same again and again');
    expect(ollama.chats).toHaveLength(1);
  });

  it('may do so in the input of a tool', async () => {
    const input = { title: 'Bowls', body: passage.repeat(60) };
    let count = 0;
    await using ollama = await startFakeOllama({
      models: [{ name: MODEL }],
      answer: () => ((count += 1) === 1 ? { calls: [{ name: 'note', arguments: input }] } : { text: 'Done.' }),
      usualContext: 32_768,
    });
    await using chat = await startChat(ollama);
    await chat.say('Hello');
    expect(JSON.stringify(ollama.chats.at(-1)?.messages)).toContain(passage.repeat(20));
  });
});
