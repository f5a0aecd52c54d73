import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditPage } from '#server/core/admin/audit';
import type { ApiKey, OwnedApiKey } from '#server/core/admin/api-keys';
import type { Scope } from '#server/core/admin/access-rights';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { type ProductionServer, startProductionServer } from '#tests/support/production-server';
import { type RestAnswer, type RestRequest, sendRequest } from '#tests/support/rest-client';
import { said } from '#tests/support/said';

interface Made {
  readonly key: string;
  readonly apiKey: ApiKey;
}

type Person = keyof AccountsServer['people'];

const withKey = (url: string, key: string, request: Partial<RestRequest> & { readonly path: string }) =>
  sendRequest(url, { method: 'GET', ...request, headers: { authorization: `Bearer ${key}`, ...request.headers } });

/** What asks for each scope and nothing more. */
const asking: Record<Scope, Partial<RestRequest> & { readonly path: string }> = {
  chat: { path: '/api/models' },
  'content:read': { path: '/api/content/pages' },
  'content:draft': { method: 'POST', path: '/api/content/pages?dryRun=1', body: { title: 'Mugs' } },
  'content:write': { method: 'PATCH', path: '/api/content/settings', body: { tagline: 'Mugs' } },
  admin: { path: '/api/settings' },
};

describe('API keys of people', () => {
  let server: AccountsServer;

  beforeAll(async () => {
    server = await startAccountsServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const ask = (who: Person, request: Partial<RestRequest> & { readonly path: string }) =>
    server.ask(server.people[who], { method: 'GET', ...request });

  async function make(who: Person, body: object): Promise<Made> {
    const answer = await ask(who, { method: 'POST', path: '/api/keys', body });
    expect(answer.status, answer.text).toBe(201);
    return answer.json() as Made;
  }

  async function list(who: Person, query = ''): Promise<readonly OwnedApiKey[]> {
    const answer = await ask(who, { path: `/api/keys${query}` });
    expect(answer.status, answer.text).toBe(200);
    return (answer.json() as { items: OwnedApiKey[] }).items;
  }

  const statusWith = async (key: string, scope: Scope) => (await withKey(server.url, key, asking[scope])).status;

  it('are shown once', async () => {
    const { key, apiKey } = await make('editor', { name: 'Shown', scopes: ['chat'] });
    const answer = await ask('editor', { path: '/api/keys' });
    expect(answer.text).toContain(apiKey.prefix);
    expect(answer.text).not.toContain(key.slice(9));
  });

  it('are their user’s alone, and an administrator’s to see and revoke', async () => {
    const { key, apiKey } = await make('editor', { name: 'Of the editor', scopes: ['chat'] });
    expect(await list('other')).toEqual([]);
    expect((await ask('editor', { path: '/api/keys?all=1' })).status).toBe(403);
    expect((await ask('other', { method: 'DELETE', path: `/api/keys/${apiKey.id}` })).status).toBe(404);
    expect(await statusWith(key, 'chat')).toBe(200);
    expect(await list('admin', '?all=1')).toContainEqual(
      expect.objectContaining({ id: apiKey.id, userName: 'Edith Editor' }),
    );
    expect((await ask('admin', { method: 'DELETE', path: `/api/keys/${apiKey.id}` })).status).toBe(204);
    expect(await statusWith(key, 'chat')).toBe(401);
  });

  it('immediately lose what their user loses', async () => {
    const { key } = await make('admin', { name: 'Of somebody demoted', scopes: ['admin', 'chat'] });
    const { id } = server.people.admin;
    const change = (body: object) => ask('owner', { method: 'PATCH', path: `/api/users/${id}`, body });
    expect(await statusWith(key, 'admin')).toBe(200);
    expect((await change({ role: 'editor' })).status).toBe(200);
    expect([await statusWith(key, 'admin'), await statusWith(key, 'chat')]).toEqual([403, 200]);
    expect((await change({ role: 'admin', banned: true })).status).toBe(200);
    expect(await statusWith(key, 'chat')).toBe(401);
    expect((await change({ banned: false })).status).toBe(200);
    expect(await statusWith(key, 'admin')).toBe(200);
  });

  it('are in the audit log with their creator, but not their secret', async () => {
    const { key, apiKey } = await make('editor', { name: 'Written down', scopes: ['chat'] });
    await ask('editor', { method: 'DELETE', path: `/api/keys/${apiKey.id}` });
    const answer = await ask('owner', { path: `/api/admin/audit?userId=${server.people.editor.id}` });
    const [revoked, created] = (answer.json() as AuditPage).items;
    const common = { userId: server.people.editor.id, actorName: 'Edith Editor', target: 'Written down', keyId: null };
    expect(revoked).toMatchObject({ ...common, action: 'key-revoked' });
    expect(created).toMatchObject({
      ...common,
      action: 'key-created',
      ipAddress: expect.stringMatching(/127\.0\.0\.1$/),
    });
    expect(answer.text).not.toContain(key.slice(9));
    expect((await ask('editor', { path: '/api/admin/audit' })).status).toBe(403);
  });
});

describe('limits in local mode', () => {
  let server: ProductionServer;

  beforeAll(async () => {
    server = await startProductionServer({
      seed: true,
      env: { REQUESTS_PER_MINUTE: '20', TURNS_PER_MINUTE: '4', RUNNING_TURNS: '1', OFFLINE_CHUNK_DELAY_MS: '3000' },
    });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const ask = (request: Partial<RestRequest> & { readonly path: string }) =>
    sendRequest(server.url, { method: 'GET', ...request });

  async function make(body: object): Promise<Made> {
    const answer = await ask({ method: 'POST', path: '/api/keys', body });
    expect(answer.status, answer.text).toBe(201);
    return answer.json() as Made;
  }

  async function newSession(): Promise<string> {
    return ((await ask({ method: 'POST', path: '/api/sessions', body: {} })).json() as { id: string }).id;
  }

  const send = (sessionId: string, key?: string): Promise<RestAnswer> => {
    const request = {
      method: 'POST',
      path: '/api/message/queue',
      body: { sessionId, message: said('List the pages') },
    };
    return key === undefined ? ask(request) : withKey(server.url, key, request);
  };

  const cancel = (sessionId: string) => ask({ method: 'POST', path: `/api/chat/${sessionId}/cancel`, body: {} });

  function expectLimited(answer: RestAnswer): void {
    expect(answer.status, answer.text).toBe(429);
    expect((answer.json() as { error: { code: string } }).error.code).toBe('rate_limited');
    const seconds = Number(answer.headers['retry-after']);
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
  }

  it('refuse a key that asks too often, and no other one, and not the owner', async () => {
    const [one, other] = await Promise.all(['One', 'Other'].map((name) => make({ name, scopes: ['chat'] })));
    const answers = await Promise.all(Array.from({ length: 30 }, () => withKey(server.url, one!.key, asking.chat)));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(10);
    limited.forEach(expectLimited);
    expect((await withKey(server.url, other!.key, asking.chat)).status).toBe(200);
    const own = await Promise.all(Array.from({ length: 30 }, () => ask(asking.chat)));
    expect(own.filter(({ status }) => status !== 200)).toEqual([]);
  });

  it('are counted before a body is read', async () => {
    const { key } = await make({ name: 'Large', scopes: ['chat'] });
    const body = { sessionId: 'x'.repeat(2_000_000) };
    const large = () => withKey(server.url, key, { method: 'POST', path: '/api/sessions', body });
    expect((await large()).status).toBe(413);
    await Promise.all(Array.from({ length: 25 }, () => withKey(server.url, key, asking.chat)));
    expectLimited(await large());
  });

  it('run no more concurrent turns than allowed, over all sessions, and store no refused one', async () => {
    const [one, two] = [await newSession(), await newSession()];
    expect((await send(one)).status).toBe(202);
    const refused = await send(two);
    expectLimited(refused);
    expect(refused.text).toContain('running already');
    const messages = await ask({ path: `/api/sessions/${two}/messages` });
    expect((messages.json() as { items: unknown[] }).items).toEqual([]);
    // What goes into a running turn's queue starts none.
    expect((await send(one)).status).toBe(202);
    await cancel(one);
    await expect.poll(async () => (await send(two)).status).toBe(202);
    await cancel(two);
  });

  it('let a key start so many turns a minute', async () => {
    const { key } = await make({ name: 'Turns', scopes: ['chat'] });
    const session = await newSession();
    const answers: RestAnswer[] = [];
    for (let turn = 0; turn < 6; turn++) answers.push(await send(session, key));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 429, 429]);
    answers.slice(4).forEach(expectLimited);
    await cancel(session);
  });
});
