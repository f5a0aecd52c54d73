import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseEnv } from '#server/config/env';
import { testProvider } from '#server/models/test-provider';
import { type FakeModelAnswer, openRouterRow, startFakeModelServer } from '#tests/support/fake-model-server';
import { freePort } from '#tests/support/free-port';

const KEY = 'sk-very-secret';
const local = (url: string, key = KEY) => parseEnv({ OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: key });
const openRouter = (url: string) => parseEnv({ OPENROUTER_BASE_URL: url, OPENROUTER_API_KEY: KEY });
const list = (...ids: string[]) => ({ json: { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) } });

describe('testProvider', () => {
  it('has nothing to ask where the program answers itself, or nothing is configured', async () => {
    expect(await testProvider('built-in', parseEnv({}))).toMatchObject({ ok: true, modelId: 'throughline/offline' });
    expect(await testProvider('openrouter', parseEnv({}))).toMatchObject({
      ok: false,
      message: 'Not configured: set OPENROUTER_API_KEY.',
    });
    expect(await testProvider('openai-compatible', parseEnv({}))).toMatchObject({
      ok: false,
      message: 'Not configured: set OPENAI_COMPATIBLE_BASE_URL.',
    });
  });

  it('asks an OpenAI-compatible server for its models', async () => {
    await using server = await startFakeModelServer({ 'GET /v1/models': list('llama3.2', 'qwen3') });
    expect(await testProvider('openai-compatible', local(`${server.url}/v1/`))).toEqual({
      ok: true,
      latencyMs: expect.any(Number),
      models: 2,
      modelId: 'local/llama3.2',
      message: 'The server answers with 2 models.',
    });
    expect(server.requests).toEqual([{ route: 'GET /v1/models', authorization: `Bearer ${KEY}`, body: null }]);
  });

  it('says when a server has no model loaded', async () => {
    await using server = await startFakeModelServer({ 'GET /v1/models': list() });
    expect(await testProvider('openai-compatible', local(`${server.url}/v1`))).toMatchObject({
      ok: true,
      models: 0,
      modelId: null,
      message: 'The server answers, but has no model loaded.',
    });
  });

  it('asks OpenRouter for its models, and whether the key is good', async () => {
    const models = { json: { data: [openRouterRow('a/b', 100_000)] } };
    await using server = await startFakeModelServer({
      'GET /api/v1/models': models,
      'GET /api/v1/key': { json: { data: { label: KEY } } },
    });
    const env = openRouter(`${server.url}/api/v1`);
    expect(await testProvider('openrouter', env)).toMatchObject({
      ok: true,
      models: 1,
      modelId: 'a/b',
      message: 'The server answers with 1 model, and the key is good.',
    });
    server.routes['GET /api/v1/key'] = { json: { error: { code: 401 } }, status: 401 };
    expect(await testProvider('openrouter', env)).toMatchObject({
      ok: false,
      message: 'The server refuses the key (401). Check OPENROUTER_API_KEY.',
    });
    server.routes['GET /api/v1/key'] = { json: {}, status: 404 };
    expect((await testProvider('openrouter', env)).message).toMatch(/whether the key is good, it does not say/);
  });

  it.each<[string, FakeModelAnswer, RegExp]>([
    ['a refused key', { json: {}, status: 401 }, /refuses the key \(401\)\. Check OPENAI_COMPATIBLE_API_KEY/],
    [
      'a wrong path',
      { json: {}, status: 404 },
      /no list of models below .* \(404\)\. Check OPENAI_COMPATIBLE_BASE_URL\.$/,
    ],
    ['too many requests', { json: {}, status: 429 }, /too many requests/],
    ['an error', { json: {}, status: 503 }, /answers with an error \(503\)/],
    ['a web page', { text: '<html>' }, /does not answer in JSON/],
    ['other JSON', { json: { hello: KEY } }, /has no list of models/],
    ['silence', { hang: true }, /No answer from .* within 0.2 seconds/],
    ['too much', { endless: true }, /too large/],
    ['a redirect', { redirectTo: 'http://127.0.0.1:1/' }, /redirects to another address/],
  ])('says %s in plain words, without the key', async (_, answer, message) => {
    await using server = await startFakeModelServer({ 'GET /v1/models': answer });
    const result = await testProvider('openai-compatible', local(`${server.url}/v1`), 'hang' in answer ? 200 : 60_000);
    expect(result).toMatchObject({ ok: false, models: null, modelId: null, message: expect.stringMatching(message) });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  it('names what to set where a key is missing, or the path', async () => {
    await using server = await startFakeModelServer({ 'GET /models': { json: {}, status: 401 } });
    expect((await testProvider('openai-compatible', local(server.url, ''))).message).toBe(
      'The server wants a key (401): set OPENAI_COMPATIBLE_API_KEY.',
    );
    delete server.routes['GET /models'];
    expect((await testProvider('openai-compatible', local(server.url))).message).toMatch(/usually ends in \/v1\.$/);
  });

  it('says that nothing listens, or that the connection broke', async () => {
    const closed = `http://127.0.0.1:${await freePort()}/v1?key=${KEY}`;
    const refused = await testProvider('openai-compatible', local(closed));
    expect(refused.message).toMatch(/^Nothing answers at 127\.0\.0\.1:\d+: the connection was refused/);
    expect(JSON.stringify(refused)).not.toContain(KEY);
    const named = await testProvider('openai-compatible', local(`http://user:${KEY}@127.0.0.1:1/v1`));
    expect(named.message).toBe(
      'An address with a name and a password cannot be used. Set the key in OPENAI_COMPATIBLE_API_KEY.',
    );

    const server = createServer((_, response) => response.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const broken = await testProvider('openai-compatible', local(`http://127.0.0.1:${port}/v1`));
    expect(broken.message).toMatch(/^The connection to 127\.0\.0\.1:\d+ broke\.$/);
    server.close();
  });
});
