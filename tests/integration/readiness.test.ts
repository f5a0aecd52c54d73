import { globSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { parseEnv } from '#server/platform/config/env';
import { type Services, startServices } from '#server/services';
import { startProductionServer } from '#tests/support/production-server';
import { errorBody } from '#tests/support/rest-client';
import { callRoute, serve, stopServing } from '#tests/support/routes';

const lines: string[] = [];
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-ready-'));
  file = join(folder, 'site.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function withServer(work: (services: Services) => Promise<void>): Promise<void> {
  lines.length = 0;
  const env = parseEnv({ DATABASE_URL: `file:${file}`, LOG_LEVEL: 'info' });
  const logDestination = { write: (line: string) => lines.push(line) };
  const services = await serve(startServices(env, { logDestination }));
  try {
    await work(services);
  } finally {
    await stopServing();
  }
}

async function call(method: string, path: string) {
  const response = await callRoute(method, `/api/${path}`);
  return { status: response.status, body: (await response.json()) as unknown };
}
const isReady = async () => (await call('GET', 'ready')).status;
const unavailable = async (method: string, path: string) => {
  const { status, body } = await call(method, path);
  const { error } = errorBody.parse(body);
  expect({ status, code: error.code }).toEqual({ status: 503, code: 'store_unavailable' });
  return error.message;
};

it('says in the log that it has begun with an empty database, once', async () => {
  const said = () => lines.filter((line) => line.includes('a new, empty one was made'));
  await withServer(async () => expect(await isReady()).toBe(200));
  expect(said()).toHaveLength(1);
  expect(said()[0]).toContain('site.db');
  await withServer(async () => expect(await isReady()).toBe(200));
  expect(said()).toEqual([]);
});

it('logs it too if a command created the database before the server started', async () => {
  await using server = await startProductionServer({ databaseFile: file });
  expect(server.logs().match(/a new, empty one was made/g)).toHaveLength(1);
});

it('is not ready and refuses writes once its database was deleted', async () => {
  await withServer(async () => {
    expect((await call('POST', 'sessions')).status).toBe(201);
    for (const path of globSync(`${file}*`)) rmSync(path);
    expect(await unavailable('GET', 'ready')).toContain('was deleted or replaced');
    expect(await unavailable('POST', 'sessions')).toContain('Nothing was written.');
    expect(globSync(`${file}*`)).toEqual([]);
  });
});

it('is not ready and refuses writes once another file replaces it; ready with its own again', async () => {
  await withServer(async () => {
    renameSync(file, `${file}.own`);
    const other = createClient({ url: `file:${file}` });
    await other.execute('create table another (id)');
    other.close();
    await unavailable('GET', 'ready');
    await unavailable('POST', 'sessions');
    rmSync(file);
    renameSync(`${file}.own`, file);
    expect(await isReady()).toBe(200);
    expect((await call('POST', 'sessions')).status).toBe(201);
  });
});

it('is not ready once a newer version has migrated its database', async () => {
  await withServer(async () => {
    const other = createClient({ url: `file:${file}` });
    await other.execute("insert into __drizzle_migrations (hash, created_at) values ('of the future', 99999999999999)");
    other.close();
    expect(await unavailable('GET', 'ready')).toContain('of a newer version');
  });
  await expect(withServer(async () => undefined)).rejects.toThrow('of a newer version');
});

it('is not ready while nothing can be written', async () => {
  await withServer(async (services) => {
    vi.spyOn(services, 'requireReady').mockRejectedValueOnce(new Error('SQLITE_FULL: database or disk is full'));
    expect(await call('GET', 'ready')).toMatchObject({ status: 503 });
    expect(await isReady()).toBe(200);
  });
});
