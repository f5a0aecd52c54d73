import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { localOwner } from '#server/platform/auth/authenticator';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startTestServices } from '#tests/support/test-services';
import {
  attemptOf,
  callMcp,
  consent,
  exchange,
  newClient,
  newCode,
  newTokens,
  type OAuthWorld,
  ORIGIN,
  REDIRECT,
  register,
  returnedTo,
  sendForm,
  startOAuthWorld,
} from '#tests/support/oauth-world';

let world: OAuthWorld;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
  world = await startOAuthWorld();
});
afterAll(async () => {
  vi.useRealTimers();
  await stopServing();
});

/** Sends what the SDK would send over the network to the routes of this process. */
async function fetchRoute(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const { pathname, search } = new URL(input);
  const method = init.method ?? 'GET';
  if (pathname === '/mcp' && method === 'GET') return new Response(null, { status: 405 });
  const sent = init.body instanceof URLSearchParams ? init.body.toString() : init.body;
  const body = typeof sent === 'string' ? { body: sent } : {};
  const headers = Object.fromEntries(new Headers(init.headers));
  const path = pathname.startsWith('/.well-known/') ? pathname.split('/').slice(2) : null;
  if (path) return callRoute(method, '/.well-known/[...path]', { params: { path }, headers });
  return callRoute(method, `${pathname}${search}`, { ...body, headers });
}

/** What a program keeps, and a browser in which a person agrees. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = { client_name: 'SDK', redirect_uris: [REDIRECT] };
  #client: OAuthClientInformationFull | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  code = '';

  clientInformation = () => this.#client;
  saveClientInformation = (client: OAuthClientInformationFull) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: OAuthTokens) => void (this.#tokens = tokens);
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  state = () => 'a state';
  async redirectToAuthorization(url: URL) {
    expect(url.pathname).toBe('/oauth/authorize');
    const query = returnedTo(await consent(world.people.editor, url.search.slice(1)));
    expect(Object.fromEntries(query)).toEqual({ code: query.get('code'), state: 'a state', iss: ORIGIN });
    this.code = query.get('code') ?? '';
  }
}

it('takes the official SDK from the bare address to a first draft, and through a refresh', async () => {
  const provider = new Provider();
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), { authProvider: provider, fetch: fetchRoute });
  const client = () => new Client({ name: 'test', version: '1' });
  const first = open();
  await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(provider.code);
  const connected = client();
  await connected.connect(open());
  const { tools } = await connected.listTools();
  expect(tools.map(({ name }) => name)).toContain('create_content');
  const made = await connected.callTool({
    name: 'create_content',
    arguments: { type: 'post', title: 'A first draft' },
  });
  expect(made.isError, JSON.stringify(made.content)).not.toBe(true);

  const former = provider.tokens();
  const isAuthorized = await auth(provider, { serverUrl: `${ORIGIN}/mcp`, fetchFn: fetchRoute });
  expect(isAuthorized).toBe('AUTHORIZED');
  expect(provider.tokens()?.access_token).not.toBe(former?.access_token);
  expect((await connected.listTools()).tools).toHaveLength(tools.length);

  const [grant] = (await world.services.keys.list(world.people.editor.id)).filter(({ name }) => name === 'SDK');
  expect(grant).toMatchObject({ scopes: ['content:read', 'content:draft'], oauthClientId: provider.clientInformation()?.client_id }); // oxfmt-ignore
  const { headers } = world.people.editor;
  expect((await callRoute('DELETE', `/api/keys/${grant!.id}`, { headers })).status).toBe(204);
  expect((await callMcp(provider.tokens()?.access_token ?? '')).status).toBe(401);
});

it('keeps the connection when two parallel calls of the SDK refresh the same expired token', async () => {
  const provider = new Provider();
  let refreshes = 0;
  const bothRefresh = Promise.withResolvers<void>();
  const open = () =>
    new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      authProvider: provider,
      fetch: async (url, init) => {
        if (init?.body instanceof URLSearchParams && init.body.get('grant_type') === 'refresh_token') {
          refreshes += 1;
          if (refreshes === 2) bothRefresh.resolve();
          await bothRefresh.promise;
        }
        return fetchRoute(url, init);
      },
    });
  const first = open();
  await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow(UnauthorizedError);
  await first.finishAuth(provider.code);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(open());
  const former = provider.tokens();
  vi.setSystemTime(Date.now() + 3_601_000);
  try {
    const call = (title: string) => client.callTool({ name: 'create_content', arguments: { type: 'post', title } });
    for (const made of await Promise.all([call('One'), call('Two')]))
      expect(made.isError, JSON.stringify(made.content)).not.toBe(true);
    expect(refreshes).toBe(2);
    expect(provider.tokens()?.refresh_token).not.toBe(former?.refresh_token);
    expect(await auth(provider, { serverUrl: `${ORIGIN}/mcp`, fetchFn: fetchRoute })).toBe('AUTHORIZED');
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  } finally {
    vi.setSystemTime(Date.now() - 3_601_000);
  }
});

it('lets a client disconnect itself with either token', async () => {
  for (const kind of ['access_token', 'refresh_token'] as const) {
    const clientId = await newClient();
    const tokens = await newTokens(world.people.editor, clientId);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    expect(await sendForm('/oauth/revoke', { token: tokens[kind], client_id: clientId })).toEqual({
      status: 200,
      json: {},
    });
    expect((await callMcp(tokens.access_token)).status, kind).toBe(401);
    const again = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId };
    expect((await sendForm('/oauth/token', again)).json, kind).toMatchObject({ error: 'invalid_grant' });
  }
});

it('grants publishing only if the client asked for it and the person chose it', async () => {
  const clientId = await newClient();
  const scopeOf = async (scope: string | undefined, mayPublish: boolean) => {
    const form = await newCode(world.people.editor, clientId, { mayPublish, ...(scope !== undefined && { scope }) });
    return (await exchange(form)).scope;
  };
  expect(await scopeOf(undefined, false)).toBe('content:read content:draft');
  expect(await scopeOf('content:read content:draft content:write offline_access', false)).toBe(
    'content:read content:draft',
  );
  expect(await scopeOf('content:read', false)).toBe('content:read');
  expect(await scopeOf('content:write', true)).toBe('content:read content:draft content:write');
  expect((await consent(world.people.editor, attemptOf(clientId, { scope: 'content:draft' }).query, { mayPublish: true })).status).toBe(403); // oxfmt-ignore
});

it('tells the client that a person did not agree', async () => {
  const answer = await consent(world.people.editor, attemptOf(await newClient()).query, { isAllowed: false });
  expect(Object.fromEntries(returnedTo(answer))).toMatchObject({
    error: 'access_denied',
    state: 'the state',
    iss: ORIGIN,
  });
});

it('accepts another port of a loopback address, and keeps an address that has a query', async () => {
  const clientId = await newClient({ redirect_uris: ['http://127.0.0.1:1/back', 'https://a.example/?to=1'] });
  for (const redirect_uri of ['http://127.0.0.1:49152/back', 'http://127.0.0.1/back', 'https://a.example/?to=1']) {
    const { query, verifier } = attemptOf(clientId, { redirect_uri });
    const answer = await consent(world.people.editor, query);
    const { redirectTo } = answer.json as { redirectTo: string };
    expect(redirectTo.slice(0, redirect_uri.length + 6)).toMatch(/[?&]code=$/);
    expect(redirectTo.startsWith(redirect_uri)).toBe(true);
    const code = returnedTo(answer).get('code') ?? '';
    const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri, code_verifier: verifier };
    expect((await exchange(form)).scope).toBe('content:read content:draft');
  }
});

it('describes itself, and answers JSON where it has nothing to say', async () => {
  const challenge = (await callRoute('POST', '/mcp', { body: {} })).headers.get('www-authenticate');
  const { status, json } = await callMcp('tla_unknown');
  expect(status).toBe(401);
  expect(json).toMatchObject({ jsonrpc: '2.0', error: { code: -32_000 } });
  const metadata = `${ORIGIN}/.well-known/oauth-protected-resource/mcp`;
  const rest = `resource_metadata="${metadata}", scope="content:read content:draft"`;
  expect(challenge).toBe(`Bearer realm="Throughline", ${rest}`);
  const headers = { authorization: 'Bearer tla_unknown' };
  const refused = await callRoute('POST', '/mcp', { body: {}, headers });
  expect(refused.headers.get('www-authenticate')).toBe(`Bearer realm="Throughline", error="invalid_token", ${rest}`);
  expect(await (await fetchRoute(metadata)).json()).toMatchObject({
    resource: `${ORIGIN}/mcp`,
    authorization_servers: [ORIGIN],
  });
  const server = await fetchRoute(`${ORIGIN}/.well-known/oauth-authorization-server`);
  expect(await server.json()).toMatchObject({ issuer: ORIGIN, code_challenge_methods_supported: ['S256'] });
  for (const absent of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/mcp']) {
    const answer = await fetchRoute(`${ORIGIN}${absent}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toHaveProperty('error_description');
  }
  const elsewhere = await callRoute('POST', '/register', { body: {} });
  expect([elsewhere.status, await elsewhere.json()]).toEqual([404, expect.objectContaining({ error: 'invalid_request' })]); // oxfmt-ignore
});

it('redeems a code after a request that lacked something, and without a redirect_uri', async () => {
  const clientId = await newClient();
  const { redirect_uri: _redirect, ...form } = await newCode(world.people.editor, clientId);
  const { code_verifier: _verifier, ...unproven } = form;
  expect((await sendForm('/oauth/token', unproven)).json).toMatchObject({ error: 'invalid_request' });
  const elsewhere = await sendForm('/oauth/token', { ...form, redirect_uri: `${REDIRECT}/other` });
  expect(elsewhere.json).toMatchObject({ error: 'invalid_grant' });
  expect((await exchange(form)).scope).toBe('content:read content:draft');
});

it('records each code or refresh token that may have been stolen once in the audit log', async () => {
  const clientId = await newClient({ client_name: 'Copied', redirect_uris: [REDIRECT] });
  const form = await newCode(world.people.editor, clientId);
  const refreshBy = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token, client_id: clientId });
  const refreshing = refreshBy((await newTokens(world.people.editor, clientId)).refresh_token);
  const next = refreshBy((await exchange(refreshing)).refresh_token);
  const burnt = { ...(await newCode(world.people.editor, clientId)), code_verifier: 'a'.repeat(43) };
  // The last request of each finds the grant revoked already, or the code used up.
  for (const sent of [form, form, form, next, refreshing, refreshing, burnt, burnt])
    await sendForm('/oauth/token', sent);
  const listed = await callRoute('GET', '/api/admin/audit?action=key-revoked', { headers: world.people.admin.headers });
  const { items } = (await listed.json()) as { items: readonly { target: string; details: object }[] };
  expect(items.filter(({ target }) => target === 'Copied')).toMatchObject([
    { userId: world.people.editor.id, details: { reason: 'code-mismatch' } },
    { userId: world.people.editor.id, details: { reason: 'token-reused' } },
    { userId: world.people.editor.id, details: { reason: 'token-reused' } },
  ]);
});

it('ends connections with a new password, as it revokes keys', async () => {
  const person = await world.add('Penny', 'editor');
  const clientId = await newClient();
  const tokens = await newTokens(person, clientId);
  const pending = await newCode(person, clientId);
  await world.services.accounts!.people.update(person.id, { password: 'another kiln full of mugs' });
  expect((await callMcp(tokens.access_token)).status).toBe(401);
  expect((await sendForm('/oauth/token', pending)).json).toMatchObject({ error: 'invalid_grant' });
});

it('shows the name of a client on one line without invisible characters', async () => {
  const clientId = await newClient({
    client_name: ' Clau\u202ede\n\u200b by\u0007 Anthropic ',
    redirect_uris: [REDIRECT],
  });
  expect((await world.services.oauth!.readRequest(new URLSearchParams(attemptOf(clientId).query).toString())).client).toMatchObject({ name: 'Clau de by Anthropic' }); // oxfmt-ignore
});

it('names a client by its address if its own name has no visible letter', async () => {
  for (const client_name of ['\u3164\u115f', '-- 1 --', '']) {
    const { json } = await register({ client_name, redirect_uris: [REDIRECT] });
    expect(json).toMatchObject({ client_name: 'assistant.example' });
  }
});

it('reports in JSON that local mode has no OAuth', async () => {
  await stopServing();
  const local = await serve(startTestServices());
  try {
    const answer = await fetchRoute(`${ORIGIN}/.well-known/oauth-protected-resource`);
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ error: 'invalid_request' })]);
    expect((await register()).status).toBe(404);
    expect((await sendForm('/oauth/token', {})).status).toBe(404);
    const { key } = await local.keys.create(localOwner, { name: 'Key', scopes: ['content:draft'], expiresAt: null });
    expect((await callMcp(key)).status).toBe(200);
  } finally {
    await stopServing();
    world = await startOAuthWorld();
  }
});
