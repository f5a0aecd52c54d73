import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultSettings } from '#server/context/settings/context-settings';
import type { JsonValue } from '#server/core/json';
import { settingsSchema } from '#server/core/admin/settings-report';
import type { Services } from '#server/services';
import { tools } from '#server/tools/index';
import { openRouterRow, startFakeModelServer } from '#tests/support/fake-model-server';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve, stopServing } from '#tests/support/routes';

const SECRETS = { OPENROUTER_API_KEY: 'sk-or-very-secret', OPENAI_COMPATIBLE_API_KEY: 'sk-local-secret' };
const openRouter = await startFakeModelServer({
  'GET /api/v1/models': { json: { data: [openRouterRow('a/b', 100_000)] } },
  'GET /api/v1/key': { json: { data: { label: 'key' } } },
});
const local = await startFakeModelServer({
  'GET /v1/models': { json: { object: 'list', data: [{ id: 'llama3.2', object: 'model' }] } },
});
const variables = {
  ...SECRETS,
  OPENROUTER_BASE_URL: `${openRouter.url}/api/v1`,
  OPENAI_COMPATIBLE_BASE_URL: `${local.url}/v1`,
  CONTEXT_TARGET_SHARE: '0.4',
};
let services: Services;

beforeAll(async () => {
  services = await serve(startTestServices(variables));
});

afterAll(async () => {
  await stopServing();
  await openRouter[Symbol.asyncDispose]();
  await local[Symbol.asyncDispose]();
});

async function answer(response: Response) {
  return { status: response.status, body: await response.json() };
}

const call = async (method: 'GET' | 'PATCH', body?: JsonValue) =>
  answer(await callRoute(method, '/api/settings', { body }));

describe('/api/settings', () => {
  it('shows every value with its source and meaning', async () => {
    const { status, body } = await call('GET');
    expect(status).toBe(200);
    settingsSchema.parse(body);
    const { outputReserve, strategy, toolPolicies } = defaultSettings;
    expect(body.values).toMatchObject({ outputReserve, strategy, toolPolicies, engineOverrides: { targetShare: 0.4 } });
    expect(body.base).toEqual(body.values);
    expect(body.sources).toMatchObject({ engineOverrides: 'env', maxSteps: 'default', defaultModel: 'default' });
    expect(body.reference).toContainEqual({
      name: 'outputReserve',
      group: 'limits',
      input: { kind: 'number', min: 1, max: 100_000_000, whole: true, displayUnit: 'thousand-tokens' },
      variable: 'CONTEXT_OUTPUT_RESERVE',
      default: '4096',
      unit: 'tokens',
      range: '1 to 100,000,000',
      meaning: expect.stringContaining('Kept free for the answer'),
      strategy: null,
    });
  });

  it('shows tools, providers and what only the environment sets, without a secret', async () => {
    await services.models.refresh();
    const { body } = await call('GET');
    const names = body.tools.map(({ name }: { name: string }) => name);
    // The last one is refused to the assistant unless an administrator allows it.
    expect(names).toEqual([...tools.map(({ name }) => name), 'read_messages']);
    expect(body.tools).toContainEqual(expect.objectContaining({ name: 'delete_content', writes: true }));
    const provider = (id: string, more: object) =>
      expect.objectContaining({ id, configured: true, problem: null, ...more });
    expect(body.providers).toEqual(
      expect.arrayContaining([
        provider('built-in', { source: null, baseUrl: null, hasKey: false, variables: [], models: 1 }),
        provider('openrouter', {
          source: 'environment',
          baseUrl: variables.OPENROUTER_BASE_URL,
          hasKey: true,
          variables: ['OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL'],
        }),
        expect.objectContaining({ id: 'anthropic', configured: false, source: null, hasKey: false, models: 0 }),
        provider('openai-compatible', {
          source: 'environment',
          baseUrl: variables.OPENAI_COMPATIBLE_BASE_URL,
          hasKey: true,
          variables: ['OPENAI_COMPATIBLE_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY'],
          models: 1,
        }),
      ]),
    );
    expect(body.process).toContainEqual(
      expect.objectContaining({ name: 'OPENROUTER_API_KEY', isSecret: true, isSet: true, value: null }),
    );
    expect(body.process).toContainEqual(expect.objectContaining({ name: 'PORT', isSecret: false, value: '3000' }));
    for (const secret of Object.values(SECRETS)) expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('stores new values, and null resets one', async () => {
    const changed = await call('PATCH', { strategy: 'ledger', modelWindowOverrides: { 'local/x': 8_192 } });
    settingsSchema.parse(changed.body);
    expect(changed).toMatchObject({
      status: 200,
      body: {
        values: { strategy: 'ledger', modelWindowOverrides: { 'local/x': 8_192 } },
        sources: { strategy: 'stored' },
      },
    });
    expect((await call('PATCH', { strategy: null })).body.sources.strategy).toBe('default');
    expect((await call('GET')).body.values).toMatchObject({ modelWindowOverrides: { 'local/x': 8_192 } });
  });

  it('sets the models for later conversations', async () => {
    await call('PATCH', { defaultModel: 'openai/gpt-4o', compactionModel: 'local/llama3.2' });
    expect(services.models).toMatchObject({ defaultModelId: 'openai/gpt-4o', compactionModelId: 'local/llama3.2' });
    expect(services.models.resolve(null).id).toBe('openai/gpt-4o');
    // The bare name of a known model is completed.
    await call('PATCH', { defaultModel: 'gpt-4.1', compactionModel: '__same__' });
    expect(services.models).toMatchObject({ defaultModelId: 'openai/gpt-4.1', compactionModelId: null });
    expect(services.models.list().filter(({ id }) => id === 'openai/gpt-4.1')).toHaveLength(1);
    await call('PATCH', { defaultModel: null, compactionModel: null });
    expect(services.models.defaultModelId).toBe('anthropic/claude-sonnet-5.5');
  });

  it.each<[JsonValue, RegExp]>([
    // settings.test.ts has the others.
    [{ defaultModel: 'never-heard-of-it', maxSteps: 9 }, /defaultModel must be a model that a configured provider/],
    [{}, /must change something/],
    [[], /./],
  ])('refuses %j with 400 and changes nothing', async (body, message) => {
    const before = await call('GET');
    const refused = await call('PATCH', body);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(refused.body.error.message).toMatch(message);
    expect(await call('GET')).toEqual(before);
  });
});
