import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { modelsSchema } from '#server/core/admin/settings-report';
import { createModelSources } from '#server/models/model-registry';
import { LocalConnection } from '#server/models/local-connection';
import { parseEnv } from '#server/platform/config/env';
import { tryProvider } from '#server/settings/try-provider';
import { answerText, say } from '#tests/support/chat-client';
import { startFakeOllama } from '#tests/support/fake-ollama';
import { chunk, type ServerAnswer, saysText, startModelServer, usageChunk } from '#tests/support/model-server';
import { answerOf, callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';

/* What the settings page and the REST API show of local models, and what they remember. */

afterEach(stopServing);

const listed = async (id: string) =>
  (await answerOf(modelsSchema, 200, 'GET', '/api/models')).items.find((model) => model.id === id);

const refusal = (window: number): ServerAnswer => ({
  status: 400,
  json: { error: { code: 400, message: 'too long', type: 'exceed_context_size_error', n_ctx: window } },
});

describe('a learned context window', () => {
  it('is listed with its reason, and can be removed', async () => {
    const window = 8_192;
    await using server = await startModelServer({
      answer: (_, index) => (index === 0 ? refusal(window) : saysText('Here.')),
    });
    const services = await serve(
      startTestServices({
        OPENAI_COMPATIBLE_BASE_URL: server.baseUrl,
        DEFAULT_MODEL: 'local/m',
        CONTEXT_WINDOW: '32000',
      }),
    );
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    expect(answerText(await say(services, id, 'Hello?'))).toBe('Here.');
    expect(await listed('local/m')).toMatchObject({
      contextWindow: window,
      learnedWindow: { tokens: window, reason: 'error' },
    });
    const remove = (model: string) =>
      callRoute('DELETE', '/api/settings/learned-windows', { query: `?modelId=${encodeURIComponent(model)}` });
    expect((await remove('local/other')).status).toBe(204);
    expect((await listed('local/m'))?.contextWindow).toBe(window);
    expect((await remove('local/m')).status).toBe(204);
    expect(await listed('local/m')).toMatchObject({ contextWindow: 32_000, warning: null, learnedWindow: null });
    expect((await remove('')).status).toBe(400);
  });

  /** Asks over `/v1`, like another program. */
  const complete = (content: string) =>
    callRoute('POST', '/v1/chat/completions', {
      body: { model: 'local/m', messages: [{ role: 'user', content }], max_tokens: 4_000 },
    });
  const long = Array.from({ length: 900 }, (_, index) => `Bowl ${index} stands near the kiln. `).join('');

  it.each<[string, ServerAnswer, string, number, number]>([
    ['an error', refusal(8_192), 'error', 1, 8_192],
    ['a cut prompt', saysText('Yes.', usageChunk(2_050, 40)), 'cut-prompt', 1, 4_096],
    [
      'answers that were ended',
      { sse: `${chunk({ content: 'And so on' })}${chunk({}, 'length')}${usageChunk(7_800, 392)}data: [DONE]\n\n` },
      'ended-answers',
      3,
      8_192,
    ],
  ])('is learned over /v1 from %s', async (_, answer, reason, times, window) => {
    await using server = await startModelServer({
      answer: (_body, index) => (index < times ? answer : saysText('Here.')),
    });
    await serve(startTestServices({ OPENAI_COMPATIBLE_BASE_URL: server.baseUrl, CONTEXT_WINDOW: '32000' }));
    for (let index = 0; index < times; index += 1) {
      expect((await listed('local/m'))?.learnedWindow ?? null).toBeNull();
      expect((await complete(long)).status).toBe(200);
    }
    const services = await globalServices();
    expect(services.models.limits('local/m').contextWindow).toBe(window);
    expect(services.models.limits('local/m').warning?.text).toContain(REASONS[reason]);
  });
});

const REASONS: Readonly<Record<string, string>> = {
  error: 'refused a longer request',
  'cut-prompt': 'has read only this much',
  'ended-answers': 'ended several answers',
};

const globalServices = () =>
  (globalThis as unknown as { throughlineServices: ReturnType<typeof startTestServices> }).throughlineServices;

describe('the list of models of Ollama', () => {
  const models = [
    { name: 'studio:3b' },
    { name: 'plain:1b', capabilities: ['completion'] },
    { name: 'all-minilm:latest', capabilities: ['embedding'] },
  ];

  it('has the memory of a loaded model, marks models without tools, and omits embedding models', async () => {
    await using ollama = await startFakeOllama({ models, usualContext: 16_384 });
    const services = await serve(
      startTestServices({ OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl, DEFAULT_MODEL: 'local/studio:3b' }),
    );
    const { id } = await services.sessions.create({ ownerId: 'own_local' });
    await say(services, id, 'Hello?');
    // The fake takes 2 GB and 100 kB for each token of the window.
    expect(await listed('local/studio:3b')).toMatchObject({
      contextWindow: 16_384,
      memoryBytes: 3_638_400_000,
      acceptsTools: true,
    });
    expect(await listed('local/plain:1b')).toMatchObject({ acceptsTools: false });
    expect(await listed('local/all-minilm:latest')).toBeUndefined();
  });

  it('keeps the window of a model through a restart, for its digest, without loading it again', async () => {
    await using ollama = await startFakeOllama({ models, usualContext: 24_576 });
    const folder = mkdtempSync(join(tmpdir(), 'throughline-restart-'));
    const path = join(folder, 'test.db');
    copyFileSync(inject('migratedDatabase'), path);
    const env = {
      DATABASE_URL: `file:${path}`,
      OPENAI_COMPATIBLE_BASE_URL: ollama.baseUrl,
      DEFAULT_MODEL: 'local/studio:3b',
    };
    const window = { contextWindow: 24_576, known: true, warning: null };
    {
      await using services = await startTestServices(env);
      const { id } = await services.sessions.create({ ownerId: 'own_local' });
      await say(services, id, 'Hello?');
      expect(services.models.limits('local/studio:3b')).toMatchObject(window);
    }
    ollama.unload();
    const loads = ollama.loads.length;
    {
      await using services = await startTestServices(env);
      await services.models.refresh(true);
      expect(services.models.limits('local/studio:3b')).toMatchObject(window);
      await services.models.resolve('local/studio:3b').prepare(AbortSignal.timeout(10_000));
      expect(ollama.loads).toHaveLength(loads);
    }
    rmSync(folder, { recursive: true, force: true });
  });
});

it('lists a model whose id is a path by the name of its file', async () => {
  await using server = await startModelServer({
    answer: () => saysText('Yes.'),
    others: { '/v1/models': { data: [{ id: '/models/studio-7b.gguf', owned_by: 'me', permissions: [] }] } },
  });
  const services = await serve(startTestServices({ OPENAI_COMPATIBLE_BASE_URL: server.baseUrl }));
  await services.models.refresh(true);
  expect((await listed('local//models/studio-7b.gguf'))?.name).toBe('studio-7b.gguf');
});

it("reports at connection that the model's chat template has no tools, with advice", async () => {
  const props = { default_generation_settings: { n_ctx: 32_768 }, model_alias: 'm', model_path: '' };
  await using server = await startModelServer({
    answer: () => saysText('I am ready: yes.'),
    others: {
      '/props': { ...props, chat_template_caps: { supports_tools: false } },
      '/v1/models': { data: [{ id: 'm' }] },
    },
  });
  const connection = { id: 'openai-compatible', baseUrl: server.baseUrl, apiKey: undefined, source: 'stored' } as const;
  const local = new LocalConnection(connection);
  const { find } = createModelSources(parseEnv({}), {}, () => [connection], { localServer: () => local });
  const { ok, problem, message } = await tryProvider(connection, { modelId: null, find });
  expect({ ok, problem }).toEqual({ ok: false, problem: 'tools' });
  expect(message).toContain('did not use the tool');
  expect(message).toContain(
    'no support for tools. If the model can use tools, start llama-server with --chat-template-file',
  );
});
