import { readFileSync, statSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseEnv } from '#server/platform/config/env';
import { type ConnectableId, connectableIds } from '#server/core/admin/provider-names';
import { connectedSchema, localServersSchema, providerTestSchema } from '#server/core/admin/providers';
import { scopesOfRole } from '#server/core/admin/access-rights';
import { findLocalServers } from '#server/models/local-servers';
import { modelServerAddress } from '#server/settings/model-server-address';
import { type Services, startServices } from '#server/services';
import { startFakeModelServer } from '#tests/support/fake-model-server';
import { polite, startFakeVendor } from '#tests/support/fake-vendors';
import { freePort } from '#tests/support/free-port';
import { answerOf, callRoute, serve, stopServing } from '#tests/support/routes';
import { foldTurn } from '#tests/support/scripted-chat';
import { startTestServices } from '#tests/support/test-services';

const KEY = 'a key of plain words 0123'.replaceAll(' ', '-');

const vendors: Readonly<
  Record<ConnectableId, { readonly model: string; readonly id: string; readonly variable: string }>
> = {
  openrouter: {
    model: 'anthropic/claude-sonnet-5.5',
    id: 'anthropic/claude-sonnet-5.5',
    variable: 'OPENROUTER_BASE_URL',
  },
  anthropic: { model: 'claude-sonnet-5-5', id: 'anthropic/claude-sonnet-5.5', variable: 'ANTHROPIC_BASE_URL' },
  openai: { model: 'gpt-5.4', id: 'openai/gpt-5.4', variable: 'OPENAI_BASE_URL' },
  google: { model: 'gemini-3.8-flash', id: 'google/gemini-3.8-flash', variable: 'GOOGLE_GENERATIVE_AI_BASE_URL' },
  'openai-compatible': { model: 'qwen3', id: 'local/qwen3', variable: '' },
};

afterEach(stopServing);

const connect = (id: ConnectableId, body: object) =>
  answerOf(connectedSchema, 200, 'PUT', '/api/settings/providers/[id]', { params: { id }, body });
const refusal = async (method: string, id: ConnectableId, body?: object) => {
  const response = await callRoute(method, '/api/settings/providers/[id]', { params: { id }, ...(body && { body }) });
  return {
    status: response.status,
    message: ((await response.json()) as { error: { message: string } }).error.message,
  };
};

async function ask(services: Services, text: string): Promise<string> {
  const session = await services.sessions.create({ ownerId: 'own_local' });
  const sent = { session, texts: [text], modelId: null, scopes: scopesOfRole.admin, clientRequestId: null };
  const outcome = await services.chat.send(sent);
  if (outcome.kind !== 'started') throw new Error('It waits.');
  const { message, errors } = await foldTurn(outcome.stream);
  if (errors.length > 0) return errors.join();
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

describe.each(connectableIds)('%s', (kind) => {
  const { model, id, variable } = vendors[kind];

  it('is connected during operation, answers immediately, and its key is in no response', async () => {
    await using vendor = await startFakeVendor({ kind, key: KEY, models: [model] });
    const env: Record<string, string> = variable === '' ? {} : { [variable]: vendor.baseUrl };
    const services = await serve(startTestServices(env));
    expect(await ask(services, 'Who are you?')).not.toBe('Hello.');
    const address = kind === 'openai-compatible' ? { baseUrl: vendor.baseUrl } : {};
    expect(await connect(kind, { ...address, apiKey: 'sk-wrong' })).toMatchObject({
      connected: false,
      test: { problem: 'key' },
    });
    expect(services.models.defaultModelId).toBe('throughline/offline');

    const connected = await connect(kind, { ...address, apiKey: KEY });
    expect(connected).toMatchObject({ connected: true, test: { ok: true, modelId: id } });
    expect(connected.providers.find((each) => each.id === kind)).toMatchObject({ configured: true, source: 'stored' });
    expect(services.models.defaultModelId).toBe(id);
    expect(await ask(services, 'Hello')).toBe('Hello.');
    expect(vendor.requests.at(-1)).toMatchObject({ model });
    expect(vendor.requests.at(-1)?.tools).toContain('get_content');

    const file = services.env.DATABASE_URL.replace('file:', '');
    const readable = [JSON.stringify(connected), JSON.stringify(services.settingsReport())];
    readable.push(await (await callRoute('GET', '/api/admin/audit')).text());
    for (const part of [file, `${file}-wal`]) readable.push(readFileSync(part, 'latin1'));
    expect(readable.filter((text) => text.includes(KEY))).toEqual([]);
    expect(readable[2]).toContain('provider-connected');
    expect(statSync(`${file}.key`).mode & 0o777).toBe(0o600);

    // A process that starts later opens the key.
    await using later = await startServices(
      parseEnv({ ...env, DATABASE_URL: services.env.DATABASE_URL, LOG_LEVEL: 'silent' }),
    );
    expect(await ask(later, 'Hello')).toBe('Hello.');

    const gone = await callRoute('DELETE', '/api/settings/providers/[id]', { params: { id: kind } });
    expect(gone.status).toBe(204);
    expect(services.models.defaultModelId).toBe('throughline/offline');
    expect((await refusal('DELETE', kind)).status).toBe(404);
  });
});

it('a model that cannot use tools is connected only after a confirmation, as the tested model', async () => {
  await using vendor = await startFakeVendor({ kind: 'openai-compatible', key: '', models: ['small', 'large'] });
  const services = await serve(startTestServices());
  vendor.respond = (request, index) => (request.model === 'small' ? { text: 'Yes.' } : polite(request, index));
  const baseUrl = vendor.baseUrl;
  expect(await connect('openai-compatible', { baseUrl, modelId: 'local/small' })).toMatchObject({
    connected: false,
    test: { problem: 'tools', choices: [{ id: 'local/small' }, { id: 'local/large' }] },
  });
  expect(services.models.defaultModelId).toBe('throughline/offline');
  expect(await connect('openai-compatible', { baseUrl, modelId: 'local/small', anyway: true })).toMatchObject({
    connected: true,
  });
  expect(services.models.defaultModelId).toBe('local/small');
  // A wrong key or a dead server is minded always.
  const dead = { baseUrl: `http://127.0.0.1:${await freePort()}/v1`, anyway: true };
  expect(await connect('openai-compatible', dead)).toMatchObject({
    connected: false,
    test: { problem: 'unreachable' },
  });
});

it('the environment wins, and the response shows that', async () => {
  await using vendor = await startFakeVendor({ kind: 'openrouter', key: KEY, models: ['openai/gpt-5.5'] });
  const env = { OPENROUTER_BASE_URL: vendor.baseUrl, OPENROUTER_API_KEY: KEY };
  const services = await serve(startTestServices(env));
  expect(await refusal('PUT', 'openrouter', { apiKey: 'another' })).toEqual({
    status: 409,
    message: expect.stringMatching(/^The environment sets OPENROUTER_API_KEY, and wins over what is entered here/),
  });
  expect((await refusal('DELETE', 'openrouter')).status).toBe(409);
  // A second provider changes nothing of who answers.
  const before = services.models.defaultModelId;
  await using local = await startFakeVendor({ kind: 'openai-compatible', key: '', models: ['qwen3'] });
  expect(await connect('openai-compatible', { baseUrl: local.baseUrl })).toMatchObject({ connected: true });
  expect(services.models.defaultModelId).toBe(before);
});

it('a stored key goes to the address it was entered for, and to no other', async () => {
  await using own = await startFakeVendor({ kind: 'openai-compatible', key: KEY, models: ['qwen3'] });
  await using other = await startFakeModelServer({});
  await serve(startTestServices());
  await connect('openai-compatible', { baseUrl: own.baseUrl, apiKey: KEY });
  await connect('openai-compatible', { baseUrl: `${other.url}/v1` });
  expect(other.requests.map(({ authorization }) => authorization)).toEqual([undefined]);
  // The stored connection, tried again, sends the key.
  expect(await connect('openai-compatible', { modelId: 'local/qwen3' })).toMatchObject({ connected: true });
});

it('a connected provider is tested on request, and none that is not', async () => {
  await using vendor = await startFakeVendor({ kind: 'anthropic', key: KEY, models: ['claude-haiku-5-5'] });
  const services = await serve(startTestServices({ ANTHROPIC_BASE_URL: vendor.baseUrl, ANTHROPIC_API_KEY: KEY }));
  await services.models.refresh();
  // Of the recommended models, the one that this account has.
  expect(services.models.defaultModelId).toBe('anthropic/claude-haiku-5.5');
  const test = (id: string) =>
    answerOf(providerTestSchema, 200, 'POST', '/api/settings/providers/[id]/test', { params: { id } });
  expect(await test('built-in')).toMatchObject({ ok: true, modelId: 'throughline/offline' });
  expect(await test('anthropic')).toMatchObject({ ok: true, modelId: 'anthropic/claude-haiku-5.5' });
  expect(await test('google')).toMatchObject({ ok: false, message: 'Not connected: connect it first.' });
});

it('finds model servers on this machine by their ports, with their models, and not itself', async () => {
  await using ollama = await startFakeModelServer({
    'GET /api/ps': { json: { models: [] } },
    'GET /api/tags': { json: { models: [{ name: 'qwen3:8b', digest: 'abc' }] } },
    'GET /v1/models': { json: { data: [{ id: 'qwen3:8b' }] } },
  });
  const port = Number(new URL(ollama.url).port);
  const servers = [
    { name: 'Ollama', port },
    { name: 'vLLM', port: await freePort() },
  ];
  expect(await findLocalServers(3000, servers)).toEqual([
    { name: 'Ollama', baseUrl: `${ollama.url}/v1`, models: ['qwen3:8b'], isLoading: false },
  ]);
  expect(await findLocalServers(port, servers)).toEqual([]);
  // llama-server until its model is loaded, as recorded.
  const loading = { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } };
  await using llama = await startFakeModelServer({
    'GET /props': { status: 503, json: loading },
    'GET /v1/models': { status: 503, json: loading },
  });
  const found = [{ name: 'llama.cpp', port: Number(new URL(llama.url).port) }];
  expect(await findLocalServers(3000, found)).toEqual([
    { name: 'llama.cpp', baseUrl: `${llama.url}/v1`, models: [], isLoading: true },
  ]);
  await serve(startTestServices());
  await answerOf(localServersSchema, 200, 'GET', '/api/settings/local-servers');
});

it.each([
  ['127.0.0.1:1234', 'http://127.0.0.1:1234/v1'],
  ['http://localhost:11434/', 'http://localhost:11434/v1'],
  [' gpu-box:8000/v1/ ', 'http://gpu-box:8000/v1'],
  ['api.example.com', 'https://api.example.com/v1'],
  ['https://api.example.com/openai/v1?key=1#x', 'https://api.example.com/openai/v1'],
])('normalises the address %s to %s', (typed, address) => expect(modelServerAddress(typed)).toBe(address));

it.each([
  ['', /not an address/],
  ['ftp://127.0.0.1/', /not an address/],
  ['two words', /not an address/],
  ['https://name:word@example.com/v1', /name and a password/],
  ['http://api.example.com/v1', /must begin with https/],
])('refuses the address %j', (typed, message) => expect(() => modelServerAddress(typed)).toThrow(message));
