import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { toolServerTestSchema, toolServersSchema } from '#server/core/admin/mcp-servers';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { localOwner } from '#server/platform/auth/authenticator';
import type { Services } from '#server/services';
import { StdioTransport } from '#server/integrations/mcp-client/stdio-transport';
import { createAuditLog } from '#server/platform/auth/audit-log';
import { startLoopback } from '#tests/support/loopback-server';
import { startTestServices } from '#tests/support/test-services';
import { callRoute, serve, stopServing } from '#tests/support/routes';

const SECRET = 'typed-into-the-form';

let services: Services;
beforeAll(async () => {
  services = await serve(startTestServices());
});
afterAll(stopServing);

/** What is answered, which never holds a secret. */
async function call(method: string, path: string, body?: unknown, key?: string) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await callRoute(method, `/api/settings/mcp-servers${path}`, { body, headers });
  const text = await response.text();
  expect(text).not.toContain(SECRET);
  return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
}

const listed = async () => toolServersSchema.parse((await call('GET', '')).body);
const transport = {
  type: 'stdio',
  command: process.execPath,
  args: [resolve('tests/support/odd-tool-server.ts')],
  env: { TOKEN: SECRET },
};

it('a tool server is added, kept without showing its secrets, changed and removed', async () => {
  const added = await call('POST', '', { name: 'odd', transport });
  expect(added.status).toBe(201);
  const [server] = toolServersSchema.parse(added.body).items;
  expect(server).toMatchObject({ policy: 'ask', isEnabled: true, transport: { env: ['TOKEN'] } });
  expect((await call('POST', '', { name: 'odd', transport })).status).toBe(409);
  await vi.waitFor(async () => expect((await listed()).items[0]?.status).toBe('ready'));
  const ready = await listed();
  expect(ready.items[0]!.tools).toHaveLength(10);
  expect(ready.tokens).toBe(ready.items[0]!.tokens);

  // Policy and name change without a new connection, and the secret stays.
  const path = `/${server!.id}`;
  const kept = { ...transport, env: { TOKEN: null } };
  const renamed = await call('PATCH', path, { name: 'strange', policy: 'off', transport: kept });
  expect(toolServersSchema.parse(renamed.body)).toMatchObject({
    items: [{ name: 'strange', policy: 'off', status: 'ready', since: ready.items[0]!.since, tokens: 0 }],
    tokens: 0,
  });
  const [stored] = await services.toolServersReport().then(({ items }) => items);
  expect(stored!.tools.map(({ name }) => name)).toContain('strange__look');
  expect(services.settingsReport().tools).toContainEqual(
    expect.objectContaining({ name: 'strange__look', policy: 'off' }),
  );

  for (const body of [{}, { transport: { ...transport, env: { TOKEN: null } } }]) {
    const test = await call('POST', `${path}/test`, body);
    expect(toolServerTestSchema.parse(test.body)).toMatchObject({ ok: true, tools: 10 });
  }
  expect((await call('POST', '/test', { transport: kept })).status).toBe(400);
  const off = await call('PATCH', path, { isEnabled: false });
  expect(toolServersSchema.parse(off.body).items[0]).toMatchObject({ status: 'off', tools: [] });
  expect((await call('DELETE', path)).status).toBe(204);
  expect((await call('DELETE', path)).status).toBe(404);
  expect((await listed()).items).toEqual([]);
});

it('a stored header goes to the origin that it was given for, and nowhere else', async () => {
  const told: (string | undefined)[] = [];
  await using server = await startLoopback((request, response) => {
    told.push(request.headers.authorization);
    response.writeHead(500).end();
  });
  const headers = { authorization: SECRET };
  const there = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers };
  const added = await call('POST', '', { name: 'there', transport: there, isEnabled: false });
  const { id } = toolServersSchema.parse(added.body).items[0]!;
  const elsewhere = { type: 'http', url: `${server.url}/mcp`, headers: { authorization: null } };
  expect((await call('POST', `/${id}/test`, { transport: elsewhere })).status).toBe(400);
  expect((await call('PATCH', `/${id}`, { transport: elsewhere })).status).toBe(400);
  expect(told).toEqual([]);
  const test = await call('POST', `/${id}/test`, { transport: { ...elsewhere, headers } });
  expect(test.body).toMatchObject({ ok: false });
  expect(told).toContain(SECRET);
});

it('a program is set up by a person, never by an API key, and each of it is in the audit log', async () => {
  const { key } = await services.keys.create(localOwner, { name: 'Robot', scopes: ['admin'], expiresAt: null });
  const address = { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} };
  const forbidden = {
    status: 403,
    body: { error: { code: 'forbidden', message: expect.stringContaining('Sign in') } },
  };
  const added = await call('POST', '', { name: 'program', transport, isEnabled: false });
  const id = toolServersSchema.parse(added.body).items.find(({ name }) => name === 'program')!.id;
  const remote = await call('POST', '', { name: 'remote', transport: address, isEnabled: false }, key);
  const remoteId = toolServersSchema.parse(remote.body).items.find(({ name }) => name === 'remote')!.id;

  expect(await call('POST', '', { name: 'other', transport }, key)).toMatchObject(forbidden);
  expect(await call('POST', '/test', { transport }, key)).toMatchObject(forbidden);
  expect(await call('POST', `/${id}/test`, {}, key)).toMatchObject(forbidden);
  expect(await call('POST', `/${id}/test`, { transport: address }, key)).toMatchObject(forbidden);
  expect(await call('PATCH', `/${id}`, { isEnabled: true }, key)).toMatchObject(forbidden);
  expect(await call('PATCH', `/${id}`, { transport: address }, key)).toMatchObject(forbidden);
  expect(await call('POST', `/${remoteId}/test`, { transport }, key)).toMatchObject(forbidden);
  expect(await call('PATCH', `/${remoteId}`, { transport }, key)).toMatchObject(forbidden);
  // What is reached by its address stays within what the scope allows.
  expect((await call('PATCH', `/${remoteId}`, { policy: 'off' }, key)).status).toBe(200);
  expect((await listed()).items.some(({ isEnabled }) => isEnabled)).toBe(false);

  expect((await call('POST', `/${id}/test`, {})).body).toMatchObject({ ok: true });
  await call('POST', '/test', { transport: { ...transport, command: 'no-such-program' } });
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
  const { items } = await services.audit.list({ userId: LOCAL_OWNER });
  const program = { program: transport.command };
  expect(items.filter(({ keyId }) => keyId === null).slice(0, 4)).toMatchObject([
    { action: 'tool-server-deleted', target: 'program' },
    { action: 'tool-server-tested', target: null, details: { program: 'no-such-program' } },
    { action: 'tool-server-tested', target: 'program', details: { id, ...program } },
    { action: 'tool-server-created', target: 'program', details: program },
  ]);
});

it('what starts a program is in the audit log before the program runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-'));
  const started = join(folder, 'started');
  const program = {
    type: 'stdio',
    command: process.execPath,
    args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`],
    env: {},
  };
  const record = services.audit.record.bind(services.audit);
  const told: string[] = [];
  let listing: Promise<unknown> | undefined;
  const start = vi.spyOn(StdioTransport.prototype, 'start');
  const spy = vi.spyOn(services.audit, 'record').mockImplementation(async (who, action, facts) => {
    // Concurrently the list is read as well, which starts new servers.
    listing = listed();
    await record(who, action, facts);
    told.push(`${action} ${start.mock.calls.length > 0 ? 'after' : 'before'}`);
  });
  const begin = async (method: string, path: string, body: unknown) => {
    rmSync(started, { force: true });
    start.mockClear();
    const answer = await call(method, path, body);
    await listing;
    await vi.waitFor(() => expect(existsSync(started)).toBe(true));
    return answer;
  };
  try {
    const idOf = (body: unknown, wanted: string) =>
      toolServersSchema.parse(body).items.find(({ name }) => name === wanted)!.id;
    await begin('POST', '/test', { transport: program });
    const { body: first } = await begin('POST', '', { name: 'first', transport: program });
    expect(told).toEqual(['tool-server-tested before', 'tool-server-created before']);
    await call('DELETE', `/${idOf(first, 'first')}`);
    const { body: second } = await call('POST', '', { name: 'second', transport: program, isEnabled: false });
    const id = idOf(second, 'second');
    told.length = 0;
    await begin('POST', `/${id}/test`, {});
    await begin('PATCH', `/${id}`, { isEnabled: true });
    expect(told).toEqual(['tool-server-tested before', 'tool-server-changed before']);
    await call('DELETE', `/${id}`);
  } finally {
    spy.mockRestore();
    start.mockRestore();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('a program without an audit entry does not start, and nothing is stored', async () => {
  const program = { type: 'stdio', command: process.execPath, args: ['-e', ''], env: {} };
  const { body } = await call('POST', '', { name: 'off', transport: program, isEnabled: false });
  const { id } = toolServersSchema.parse(body).items.find(({ name }) => name === 'off')!;
  const fail = () => Promise.reject(new Error('no room'));
  const failing = { append: fail, list: fail, each: () => expect.fail('Not read.') };
  const log = createAuditLog(failing, () => undefined);
  const started = vi.spyOn(StdioTransport.prototype, 'start');
  const spy = vi.spyOn(services.audit, 'record').mockImplementation((...given) => log.record(...given));
  try {
    for (const answer of [
      await call('POST', '/test', { transport: program }),
      await call('POST', `/${id}/test`, {}),
      await call('POST', '', { name: 'new', transport: program }),
      await call('PATCH', `/${id}`, { isEnabled: true }),
    ]) {
      expect(answer.status).toBe(500);
    }
  } finally {
    spy.mockRestore();
  }
  const items = (await listed()).items.filter(({ name }) => name === 'off' || name === 'new');
  expect(items).toMatchObject([{ name: 'off', isEnabled: false }]);
  await call('DELETE', `/${id}`);
  expect(started).not.toHaveBeenCalled();
  started.mockRestore();
});
