import { describe, expect, it } from 'vitest';
import { parseEnv } from '#server/platform/config/env';
import { type ConnectableId, connectableIds } from '#server/core/admin/provider-names';
import type { Connection } from '#server/models/connections';
import { createModelSources } from '#server/models/model-registry';
import { tryProvider } from '#server/settings/try-provider';
import { type FakeModelAnswer, startFakeModelServer } from '#tests/support/fake-model-server';
import { startFakeVendor, type VendorAnswer, type VendorError } from '#tests/support/fake-vendors';
import { freePort } from '#tests/support/free-port';
import { startLoopback } from '#tests/support/loopback-server';

const KEY = 'sk-very-secret-0123456789';

const MODELS: Readonly<Record<ConnectableId, readonly [wire: string, id: string]>> = {
  openrouter: ['anthropic/claude-sonnet-5.5', 'anthropic/claude-sonnet-5.5'],
  anthropic: ['claude-sonnet-5-5-20260801', 'anthropic/claude-sonnet-5.5'],
  openai: ['gpt-5.4', 'openai/gpt-5.4'],
  google: ['gemini-3.8-flash', 'google/gemini-3.8-flash'],
  'openai-compatible': ['qwen3', 'local/qwen3'],
};

const connectionTo = (id: ConnectableId, baseUrl: string, more: Partial<Connection> = {}): Connection => ({
  id,
  baseUrl,
  apiKey: KEY,
  source: 'stored',
  ...more,
});

function attempt(connection: Connection, modelId: string | null = null, timeoutMs = 20_000) {
  const find = (id: string, wireName: string | undefined) =>
    createModelSources(parseEnv({}), {}, () => [connection], { wireName: () => wireName }).find(id);
  return tryProvider(connection, { modelId, find, listTimeoutMs: timeoutMs, answerTimeoutMs: timeoutMs });
}

describe.each(connectableIds)('%s', (kind) => {
  const [wire, id] = MODELS[kind];
  const start = (respond?: () => VendorAnswer | VendorError) =>
    startFakeVendor({ kind, key: KEY, models: [wire], ...(respond && { respond }) });

  it('is asked for its models, and one of them to use a tool, under its own name', async () => {
    await using vendor = await start();
    const result = await attempt(connectionTo(kind, vendor.baseUrl));
    expect(result).toMatchObject({ ok: true, problem: null, models: 1, modelId: id, choices: [{ id }] });
    expect(result.message).toBe(`The server answers with 1 model; ${id} uses tools.`);
    expect(vendor.requests.map(({ model, tools }) => [model, tools])).toEqual([[wire, ['ready']]]);
  });

  it('distinguishes a wrong key, a model without tools and a missing server, with advice', async () => {
    await using vendor = await start(() => ({ text: 'Yes.' }));
    const wrongKey = await attempt(connectionTo(kind, vendor.baseUrl, { apiKey: 'sk-wrong' }));
    const noTools = await attempt(connectionTo(kind, vendor.baseUrl));
    vendor.respond = () => ({ status: 404, message: 'No endpoints found that support tool use.' });
    const refusesTools = await attempt(connectionTo(kind, vendor.baseUrl));
    vendor.respond = () => ({ status: 402, message: 'Insufficient credits.' });
    const noCredit = await attempt(connectionTo(kind, vendor.baseUrl));
    const nobody = await attempt(connectionTo(kind, `http://127.0.0.1:${await freePort()}/v1`));
    const all = [wrongKey, noTools, refusesTools, noCredit, nobody];
    expect(all.map(({ ok, problem }) => [ok, problem])).toEqual([
      [false, 'key'],
      [false, 'tools'],
      [false, 'tools'],
      [false, 'credit'],
      [false, 'unreachable'],
    ]);
    expect(wrongKey.message).toMatch(/refuses the key \(40[01]\)\. Copy it again/);
    expect(noTools.message).toMatch(/did not use the tool.*Choose another model/);
    expect(refusesTools.message).toMatch(/cannot use tools.*Choose another model/);
    expect(nobody.message).toMatch(/^Nothing answers at 127\.0\.0\.1:\d+: the connection was refused/);
    expect(JSON.stringify(all)).not.toContain(KEY);
    // Another model can be chosen immediately.
    expect(noTools.choices).toEqual([expect.objectContaining({ id })]);
  });
});

const local = (baseUrl: string, more?: Partial<Connection>) => connectionTo('openai-compatible', baseUrl, more);

describe('a server of OpenAI’s protocol', () => {
  it('reports that no model is loaded, and tries embedding models last', async () => {
    await using vendor = await startFakeVendor({ kind: 'openai-compatible', key: '', models: [] });
    expect(await attempt(local(vendor.baseUrl))).toMatchObject({ ok: false, problem: 'model', models: 0 });
    await using other = await startFakeVendor({ kind: 'openai-compatible', key: '', models: ['nomic-embed', 'qwen3'] });
    expect(await attempt(local(other.baseUrl))).toMatchObject({ ok: true, modelId: 'local/qwen3' });
  });

  it.each<[string, FakeModelAnswer, RegExp]>([
    ['a wrong path', { json: {}, status: 404 }, /no list of models below .* \(404\)\. Check the address\.$/],
    ['too many requests', { json: {}, status: 429 }, /too many requests/],
    ['an error', { json: {}, status: 503 }, /answers with an error \(503\)/],
    ['a web page', { text: '<html>' }, /does not answer in JSON/],
    ['other JSON', { json: { hello: KEY } }, /has no list of models/],
    ['silence', { hang: true }, /No answer from .* within 0.2 seconds/],
    ['too much', { endless: true }, /is above 8,000,000 bytes/],
    ['a redirect', { redirectTo: 'http://127.0.0.1:1/' }, /redirects to another address/],
  ])('reports %s in plain words, without the key', async (_, answer, message) => {
    await using server = await startFakeModelServer({ 'GET /v1/models': answer });
    const result = await attempt(local(`${server.url}/v1`), null, 'hang' in answer ? 200 : 60_000);
    expect(result).toMatchObject({ ok: false, models: null, modelId: null, message: expect.stringMatching(message) });
    expect(JSON.stringify(result)).not.toContain(KEY);
  });

  it('names what to change: the variable of the environment, or the field of the form', async () => {
    await using server = await startFakeModelServer({ 'GET /models': { json: {}, status: 401 } });
    const messages = async (source: Connection['source']) => [
      (await attempt(local(server.url, { source }))).message,
      (await attempt(local(server.url, { source, apiKey: undefined }))).message,
    ];
    expect(await messages('environment')).toEqual([
      'The server refuses the key (401). Check OPENAI_COMPATIBLE_API_KEY.',
      'The server wants a key (401): set OPENAI_COMPATIBLE_API_KEY.',
    ]);
    expect(await messages('stored')).toEqual([
      'The server refuses the key (401). Copy it again, whole, or make a new one there.',
      'The server wants a key (401): enter one.',
    ]);
    delete server.routes['GET /models'];
    expect((await attempt(local(server.url))).message).toMatch(/the address: it usually ends in \/v1\.$/);
  });

  it('is never link-local, where clouds keep the credentials of a machine', async () => {
    const { problem, message } = await attempt(local('http://169.254.169.254/v1'));
    expect([problem, message]).toEqual(['other', expect.stringMatching(/link-local/)]);
  });

  it('says that the connection broke', async () => {
    await using server = await startLoopback((_, response) => response.destroy());
    const broken = await attempt(local(`${server.url}/v1`));
    expect(broken.message).toMatch(/^The connection to 127\.0\.0\.1:\d+ broke\.$/);
  });
});
