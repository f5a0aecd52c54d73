import { describe, expect, onTestFinished, vi } from 'vitest';
import type { Connection, ConnectionList } from '#server/models/connections';
import { createModelCatalog } from '#server/models/model-catalog';
import { createCatalogRepository } from '#server/models/store/model-facts-repository';
import type { Database } from '#server/platform/database/database';
import {
  type FakeModelServer,
  llamaCppProps,
  openRouterRow,
  startFakeModelServer,
} from '#tests/support/fake-model-server';
import { holdTimeouts } from '#tests/support/held-timers';
import { createTestDatabase, itWithDatabase as it } from '#tests/support/test-database';

const DAY_MS = 86_400_000;
const START = 1_800_000_000_000;

const list = (contextLength: number) => ({ json: { data: [openRouterRow('a/b', contextLength)] } });

/** One connection, which stays. */
function always(connection: Omit<Connection, 'source'>): ConnectionList {
  const connections = [{ ...connection, source: 'stored' as const }];
  return { current: () => connections };
}

/** A catalogue of OpenRouter's list, with a clock that tests turn. */
function open(db: Database, server: FakeModelServer, at = START) {
  const clock = { time: at };
  const faults: string[] = [];
  const catalog = createModelCatalog({
    connections: always({ id: 'openrouter', baseUrl: `${server.url}/api/v1`, apiKey: 'sk-or-1' }),
    store: createCatalogRepository(db),
    now: () => clock.time,
    onFault: (message) => faults.push(message),
  });
  return { catalog, clock, faults };
}

describe('the list of OpenRouter', () => {
  it('is read in the background by the first question, which does not wait', async ({ db }) => {
    await using server = await startFakeModelServer({ 'GET /api/v1/models': list(100_000) });
    const { catalog } = open(db, server);
    expect(catalog.published('a/b')).toBeNull();
    await catalog.refresh();
    expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
    expect(server.requests).toEqual([{ route: 'GET /api/v1/models', authorization: 'Bearer sk-or-1', body: null }]);
  });

  it('is read again after a day, not before; the old one is used until then', async ({ db }) => {
    await using server = await startFakeModelServer({ 'GET /api/v1/models': list(100_000) });
    const { catalog, clock } = open(db, server);
    await catalog.refresh();
    server.routes['GET /api/v1/models'] = list(200_000);

    clock.time += DAY_MS - 1;
    await catalog.refresh();
    expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
    expect(server.requests).toHaveLength(1);

    clock.time += 1;
    expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
    await catalog.refresh();
    expect(catalog.published('a/b')?.contextWindow).toBe(200_000);
    expect(server.requests).toHaveLength(2);
  });

  it('is kept in the database for the next process, with its age', async ({ db }) => {
    await using server = await startFakeModelServer({ 'GET /api/v1/models': list(100_000) });
    await open(db, server).catalog.refresh();
    server.routes['GET /api/v1/models'] = list(200_000);

    const young = open(db, server, START + DAY_MS - 1).catalog;
    await young.refresh();
    expect(young.published('a/b')?.contextWindow).toBe(100_000);
    expect(server.requests).toHaveLength(1);

    const old = open(db, server, START + DAY_MS).catalog;
    await old.refresh();
    expect(old.published('a/b')?.contextWindow).toBe(200_000);
  });

  it('stays unchanged when it cannot be read; that is logged once and retried after 5 minutes', async ({ db }) => {
    await using server = await startFakeModelServer({ 'GET /api/v1/models': list(100_000) });
    const { catalog, clock, faults } = open(db, server);
    await catalog.refresh();
    server.routes['GET /api/v1/models'] = { text: 'garbage' };

    clock.time += DAY_MS;
    await catalog.refresh();
    clock.time += 299_999;
    await catalog.refresh();
    expect(server.requests).toHaveLength(2);
    clock.time += 1;
    await catalog.refresh();
    expect(server.requests).toHaveLength(3);
    expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
    expect(faults).toEqual(["OpenRouter's list of models cannot be read"]);

    server.routes['GET /api/v1/models'] = list(200_000);
    await catalog.refresh(true);
    expect(catalog.published('a/b')?.contextWindow).toBe(200_000);
  });

  it('does without a stored list that is garbage, and is read again when the clock was set back', async ({ db }) => {
    await using server = await startFakeModelServer({ 'GET /api/v1/models': list(100_000) });
    await createCatalogRepository(db).save(`openrouter ${server.url}/api/v1`, [{ id: 5 }], START);
    const { catalog, clock, faults } = open(db, server);
    await catalog.refresh();
    expect(faults).toEqual(['the stored list of models cannot be read']);
    expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
    clock.time -= 1;
    await catalog.refresh();
    expect(server.requests).toHaveLength(2);
  });

  it('is used although it cannot be stored', async () => {
    await using server = await startFakeModelServer({ 'GET /api/v1/models': list(100_000) });
    const db = await createTestDatabase();
    const { catalog, faults } = open({ ...db, write: () => Promise.reject(new Error('busy')) }, server);
    await catalog.refresh();
    await db.close();
    expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
    expect(faults).toEqual(['the list of models cannot be stored']);
  });

  it('is requested once for concurrent questions, and a pending read is aborted by closing', async ({ db }) => {
    // Its own limit would end the read later.
    holdTimeouts(15_000);
    onTestFinished(() => void vi.restoreAllMocks());
    await using server = await startFakeModelServer({ 'GET /api/v1/models': { hang: true } });
    const { catalog, faults } = open(db, server);
    for (let i = 0; i < 20; i++) catalog.published('a/b');
    await expect.poll(() => server.requests.length).toBe(1);
    await catalog.close();
    await catalog.refresh(true);
    expect(server.requests).toHaveLength(1);
    expect(faults).toEqual([]);
  });
});

describe('the local server', () => {
  it('is requested again after 15 seconds, because it may have reloaded its model', async ({ db }) => {
    await using server = await startFakeModelServer({ 'GET /props': { json: llamaCppProps(8_192) } });
    let time = START;
    const catalog = createModelCatalog({
      connections: always({ id: 'openai-compatible', baseUrl: `${server.url}/v1`, apiKey: undefined }),
      store: createCatalogRepository(db),
      now: () => time,
      onFault: () => undefined,
    });
    await catalog.refresh();
    expect(catalog.local('any')?.loadedContext).toBe(8_192);
    expect(catalog.localNames()).toEqual(['qwen3-4b']);
    expect(catalog.published('a/b')).toBeNull();

    server.routes['GET /props'] = { json: llamaCppProps(4_096) };
    time += 14_999;
    await catalog.refresh();
    expect(catalog.local('any')?.loadedContext).toBe(8_192);
    time += 1;
    await catalog.refresh();
    expect(catalog.local('any')?.loadedContext).toBe(4_096);
  });
});

it('follows the connections: a new key is used immediately, a disconnected one is dropped', async ({ db }) => {
  await using server = await startFakeModelServer({
    'GET /api/v1/models': list(100_000),
    'GET /v1/models?limit=1000': { json: { data: [{ id: 'claude-opus-5-5-20260901', display_name: 'Opus' }] } },
  });
  const openRouter = (apiKey: string) =>
    ({ id: 'openrouter', baseUrl: `${server.url}/api/v1`, apiKey, source: 'stored' }) as const;
  const anthropic = { id: 'anthropic', baseUrl: `${server.url}/v1`, apiKey: 'sk-ant', source: 'stored' } as const;
  let connections: readonly Connection[] = [];
  const onFault = () => undefined;
  const catalog = createModelCatalog({
    connections: { current: () => connections },
    store: createCatalogRepository(db),
    now: () => START,
    onFault,
  });
  await catalog.refresh();
  expect([catalog.published('a/b'), server.requests]).toEqual([null, []]);

  connections = [openRouter('one'), anthropic];
  await catalog.refresh();
  expect(catalog.published('a/b')?.contextWindow).toBe(100_000);
  expect(catalog.vendorModel('anthropic/claude-opus-5.5')?.wireName).toBe('claude-opus-5-5-20260901');
  // Another release of it is another model.
  expect(catalog.vendorModel('anthropic/claude-opus-5.5-20261201')).toBeNull();

  connections = [openRouter('two')];
  await catalog.refresh(true);
  expect(catalog.vendor('anthropic')).toBeNull();
  const keys = server.requests.map(({ authorization }) => authorization);
  expect(new Set(keys)).toEqual(new Set(['Bearer one', 'Bearer two', undefined]));
  await catalog.close();
});
