import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditPage } from '#server/core/admin/audit';
import type { ApiKey, OwnedApiKey } from '#server/core/admin/api-keys';
import type { Scope } from '#server/core/admin/access-rights';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { type RestRequest, sendRequest } from '#tests/support/rest-client';

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
