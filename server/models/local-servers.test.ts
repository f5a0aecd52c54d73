import { describe, expect, it } from 'vitest';
import { createLocalServerReader, findLocalModel } from '#server/models/local-servers';
import {
  type FakeModelRoutes,
  type FakeModelServer,
  llamaCppProps,
  lmStudioRow,
  ollamaInstalledRow,
  ollamaRunningRow,
  ollamaShow,
  startFakeModelServer,
} from '#tests/support/fake-model-server';

const signal = new AbortController().signal;
const readerOf = (server: FakeModelServer, key?: string) => createLocalServerReader(`${server.url}/v1`, key, 10_000);

async function read(routes: FakeModelRoutes) {
  await using server = await startFakeModelServer(routes);
  return await readerOf(server)(signal);
}

const absurd = [0, -1, '8192', 1e12, 12.5, null, undefined, {}, 100];

describe('LM Studio', () => {
  it('reads the loaded window of each model, and the maximum of others', async () => {
    const data = [
      lmStudioRow('qwen/qwen3-4b', { state: 'loaded', loaded_context_length: 4_096 }),
      lmStudioRow('llama-3.1-8b', {}),
      lmStudioRow('text-embedding-nomic', { type: 'embeddings', state: 'loaded', loaded_context_length: 2_048 }),
    ];
    const found = await read({ 'GET /api/v0/models': { json: { object: 'list', data } } });
    expect(found).toMatchObject({
      single: false,
      models: [
        { name: 'qwen/qwen3-4b', loadedContext: 4_096, longestContext: 131_072 },
        { name: 'llama-3.1-8b', loadedContext: null, longestContext: 131_072 },
      ],
    });
    expect(findLocalModel(found, 'qwen/qwen3-4b')?.loadedContext).toBe(4_096);
    expect(findLocalModel(found, 'unheard-of')).toBeNull();
  });

  it('does not believe absurd lengths', async () => {
    const data = absurd.map((length, index) =>
      lmStudioRow(`m${index}`, { state: 'loaded', loaded_context_length: length, max_context_length: length }),
    );
    const { models } = await read({ 'GET /api/v0/models': { json: { data } } });
    expect(models.map(({ loadedContext, longestContext }) => loadedContext ?? longestContext)).toEqual(
      absurd.map(() => null),
    );
  });
});

describe('whether a model sees images', () => {
  it.each([
    ['LM Studio', { 'GET /api/v0/models': { json: { data: [lmStudioRow('m', { type: 'vlm' })] } } }],
    ['llama.cpp', { 'GET /props': { json: llamaCppProps(8_192, { modalities: { vision: true, audio: false } }) } }],
    [
      'Ollama',
      {
        'GET /api/ps': { json: { models: [ollamaRunningRow('m', 8_192)] } },
        'POST /api/show': { json: { ...(ollamaShow(8_192, '') as object), capabilities: ['completion', 'vision'] } },
      },
    ],
  ] satisfies [string, FakeModelRoutes][])('%s reports it', async (_, routes) => {
    expect((await read(routes)).models[0]).toMatchObject({ acceptsImages: true });
  });
});

describe('llama.cpp', () => {
  it('runs one model under any name', async () => {
    const found = await read({ 'GET /props': { json: llamaCppProps(65_536) } });
    expect(found.models).toEqual([{ name: 'qwen3-4b', loadedContext: 65_536, longestContext: null }]);
    expect(findLocalModel(found, 'gpt-4o')?.loadedContext).toBe(65_536);
  });

  it.each([
    [{ model_alias: '' }, 'Qwen3-4B-Q4_K_M.gguf'],
    [{ model_alias: undefined, model_path: String.raw`C:\models\x.gguf` }, 'x.gguf'],
    [{ model_alias: 5, model_path: 'my models/my model.gguf' }, 'default'],
  ])('is named by its report: %j', async (more, name) => {
    expect((await read({ 'GET /props': { json: llamaCppProps(8_192, more) } })).models[0]?.name).toBe(name);
  });

  it.each(absurd)('does not believe a length of %j', async (length) => {
    expect((await read({ 'GET /props': { json: llamaCppProps(length) } })).models[0]?.loadedContext).toBeNull();
  });
});

describe('Ollama', () => {
  const show = (context: unknown, parameters = '') => ({ json: ollamaShow(context, parameters) });

  it('tells how a running model is loaded, and of the others how their Modelfile will load them', async () => {
    await using server = await startFakeModelServer({
      'GET /api/ps': { json: { models: [ollamaRunningRow('llama3.2:latest', 8_192)] } },
      'GET /api/tags': {
        json: { models: ['llama3.2:latest', 'small:4b', 'plain:7b', 'proud:1b'].map(ollamaInstalledRow) },
      },
      'POST /api/show': ({ body }) => {
        const { model } = body as { model: string };
        if (model === 'small:4b') return show(131_072, 'stop    "<|eot_id|>"\nnum_ctx                        16384');
        if (model === 'proud:1b') return show(32_768, 'num_ctx 1000000\n');
        return show(131_072);
      },
    });
    const reader = readerOf(server, 'key');
    const found = await reader(signal);
    expect(found.models).toMatchObject([
      { name: 'llama3.2:latest', loadedContext: 8_192, longestContext: 131_072 },
      { name: 'small:4b', loadedContext: 16_384, longestContext: 131_072 },
      { name: 'plain:7b', loadedContext: null, longestContext: 131_072 },
      { name: 'proud:1b', loadedContext: 32_768, longestContext: 32_768 },
    ]);
    expect(findLocalModel(found, 'llama3.2')?.loadedContext).toBe(8_192);
    expect(findLocalModel(found, 'small')).toBeNull();
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer key']));

    const before = server.requests.length;
    expect(await reader(signal)).toEqual(found);
    expect(server.requests.slice(before).map(({ route }) => route)).toEqual(['GET /api/ps', 'GET /api/tags']);
  });

  it.each(absurd)('does not believe a length of %j', async (length) => {
    const found = await read({
      'GET /api/ps': { json: { models: [ollamaRunningRow('m:latest', length)] } },
      'POST /api/show': { json: ollamaShow(length, 'num_ctx 0') },
    });
    expect(found.models).toMatchObject([{ name: 'm:latest', loadedContext: null, longestContext: null }]);
  });

  it('does without details that cannot be read, and asks for them again', async () => {
    await using server = await startFakeModelServer({
      'GET /api/ps': { json: { models: [] } },
      'GET /api/tags': { json: { models: [ollamaInstalledRow('m:latest'), null, { name: 7 }] } },
      'POST /api/show': { text: 'garbage' },
    });
    const reader = readerOf(server);
    expect((await reader(signal)).models).toMatchObject([
      { name: 'm:latest', loadedContext: null, longestContext: null },
    ]);
    server.routes['POST /api/show'] = { json: ollamaShow(8_192, 'num_ctx 4096') };
    expect((await reader(signal)).models).toMatchObject([
      { name: 'm:latest', loadedContext: 4_096, longestContext: 8_192 },
    ]);
  });
});

describe('another server', () => {
  it('tells its models by the common list, vLLM their length too', async () => {
    const data = [
      { id: 'Qwen/Qwen3-8B', object: 'model', owned_by: 'vllm', max_model_len: 40_960 },
      { id: 'plain', object: 'model', owned_by: 'me' },
    ];
    expect((await read({ 'GET /v1/models': { json: { object: 'list', data } } })).models).toEqual([
      { name: 'Qwen/Qwen3-8B', loadedContext: 40_960, longestContext: null },
      { name: 'plain', loadedContext: null, longestContext: null },
    ]);
  });

  it('is not taken for LM Studio because it answers everything with a list', async () => {
    const list = { json: { data: [{ id: 'm', max_model_len: 9_000 }] } };
    expect(await read({ 'GET /api/v0/models': list, 'GET /v1/models': list })).toMatchObject({
      models: [{ loadedContext: 9_000 }],
    });
  });

  it.each<[string, FakeModelRoutes]>([
    ['knows none of the interfaces', {}],
    ['answers all with an error in a 200', { 'GET /api/v0/models': { json: { error: 'Unexpected endpoint' } } }],
    ['answers garbage', { 'GET /props': { text: '<html>' }, 'GET /v1/models': { json: [1] } }],
    ['only redirects', { 'GET /v1/models': { redirectTo: 'http://127.0.0.1:1/v1/models' } }],
  ])('throws when it %s', async (_, routes) => {
    await expect(read(routes)).rejects.toThrow('does not answer');
  });
});

describe('the address', () => {
  it.each(['/v1', '/v1/', '', '/proxy/v1'])('may end in %j', async (path) => {
    const place = path.startsWith('/proxy') ? '/proxy' : '';
    await using server = await startFakeModelServer({ [`GET ${place}/props`]: { json: llamaCppProps(8_192) } });
    const found = await createLocalServerReader(`${server.url}${path}`, undefined)(signal);
    expect(found.models[0]?.loadedContext).toBe(8_192);
  });
});

describe('a server that is only busy', () => {
  it('is not read by the common list, which tells less', async () => {
    await using server = await startFakeModelServer({
      'GET /api/v0/models': {
        json: { data: [lmStudioRow('m', { state: 'loaded', loaded_context_length: 32_768 })] },
      },
      'GET /v1/models': { json: { data: [{ id: 'm' }] } },
    });
    const reader = createLocalServerReader(`${server.url}/v1`, undefined, 50);
    await reader(signal);
    server.routes['GET /api/v0/models'] = { hang: true };
    await expect(reader(signal)).rejects.toThrow('does not answer');
  });
});
