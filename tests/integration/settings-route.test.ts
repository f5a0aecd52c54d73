import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultSettings } from '#server/context/context-settings';
import type { JsonValue } from '#server/core/json';
import { parseEnv } from '#server/env';
import type { Services } from '#server/services';
import { createSettings } from '#server/settings';
import type { Database } from '#server/store/database';
import { createSettingsRepository } from '#server/store/settings-repository';
import { createTestDatabase } from '#tests/support/test-database';

type Handler = (request: Request, context: { params: Promise<unknown> }) => Promise<Response>;

const [route] = Object.values(
  import.meta.glob<Record<'GET' | 'PATCH', Handler>>('/app/api/settings/route.ts', { eager: true }),
);

const container = globalThis as typeof globalThis & { throughlineServices?: Promise<Services> };
let database: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  const settings = await createSettings({
    env: parseEnv({ CONTEXT_TARGET_SHARE: '0.4' }),
    repository: createSettingsRepository(database),
    exemptTools: new Set(['get_settings']),
    onFault: (message) => expect.fail(message),
  });
  // The route needs nothing else of a server.
  container.throughlineServices = Promise.resolve({ settings } as unknown as Services);
});

afterAll(async () => {
  delete container.throughlineServices;
  await database.close();
});

async function call(method: 'GET' | 'PATCH', body?: JsonValue) {
  const request = new Request('http://localhost/api/settings', {
    method,
    headers: { host: 'localhost' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const response = await route![method](request, { params: Promise.resolve({}) });
  return { status: response.status, body: await response.json() };
}

describe('/api/settings', () => {
  it('shows every value, where it comes from and what it means', async () => {
    const { status, body } = await call('GET');
    expect(status).toBe(200);
    expect(body.values).toEqual({ ...defaultSettings, targetShare: 0.4 });
    expect(body.sources).toMatchObject({ targetShare: 'env', usableShare: 'default' });
    expect(body.reference[0]).toEqual({
      name: 'outputReserve',
      variable: 'CONTEXT_OUTPUT_RESERVE',
      default: '4096',
      unit: 'tokens',
      range: '1 to 100,000,000',
      meaning: expect.stringContaining('Kept free for the answer'),
    });
  });

  it('stores new values, and null resets one', async () => {
    const changed = await call('PATCH', { strategy: 'ledger', modelWindowOverrides: { 'local/x': 8_192 } });
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

  it.each<[JsonValue, RegExp]>([
    [{ usableShare: 0.92, maxLines: 100 }, /usableShare must be below realTimeShare/],
    [{ maxLines: 'many' }, /maxLines must be a whole number/],
    [{ nonsense: 1 }, /nonsense is not a setting/],
    ['{"__proto__": {"maxLines": 100}}', /./],
    [{}, /must change something/],
    [[], /./],
    [null, /./],
    ['{', /not valid JSON/],
  ])('refuses %j with 400 and changes nothing', async (body, message) => {
    const before = await call('GET');
    const refused = await call('PATCH', body);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } });
    expect(refused.body.error.message).toMatch(message);
    expect(await call('GET')).toEqual(before);
  });
});
