import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { signInPageSchema, toolServersSchema } from '#server/core/admin/mcp-servers';
import { consent, type OAuthPerson, type OAuthWorld, returnedTo, startOAuthWorld } from '#tests/support/oauth-world';
import { startOAuthToolServer } from '#tests/support/oauth-tool-server';
import { callRoute, stopServing } from '#tests/support/routes';
import { startRouteServer } from '#tests/support/route-server';

/*
 * The tool server is Throughline itself: the requests go over HTTP to its own /mcp and OAuth endpoints, which the official
 * SDKs and the conformance suite have checked (tests/mcp-conformance.test.ts, tests/clients.test.ts).
 */

let http: Awaited<ReturnType<typeof startRouteServer>>;
let world: OAuthWorld;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
  http = await startRouteServer();
  world = await startOAuthWorld(http.url);
});
afterAll(async () => {
  vi.useRealTimers();
  await stopServing();
  await http.close();
});

const refusalSchema = z.object({ error: z.object({ reason: z.object({ code: z.string() }).nullable() }) });
const refusalOf = (json: unknown) => refusalSchema.parse(json).error.reason?.code;

const PATH = '/api/settings/mcp-servers';

async function send(method: string, path: string, body?: unknown, headers = world.people.admin.headers, cookie = '') {
  const cookies = [headers['cookie'] ?? '', cookie].filter(Boolean).join('; ');
  const response = await callRoute(method, `${PATH}${path}`, { body, headers: { ...headers, cookie: cookies } });
  const text = await response.text();
  return { status: response.status, text, json: text === '' ? null : (JSON.parse(text) as unknown), response };
}

const servers = async () => toolServersSchema.parse((await send('GET', '')).json).items;
const find = async (id: string) => (await servers()).find((server) => server.id === id)!;

let id = '';
beforeEach(async () => {
  // A new sign-in for each test: time goes on.
  const { headers } = world.people.admin;
  Object.assign(headers, await world.signIn('ada@kiln.example'));
  for (const server of await servers()) await send('DELETE', `/${server.id}`);
  id = await add(`${http.url}/mcp`);
});

async function add(url: string): Promise<string> {
  const added = await send('POST', '', { name: 'other', policy: 'always', transport: { type: 'http', url } });
  return toolServersSchema.parse(added.json).items[0]!.id;
}

/** Begins a sign-in, and lets a person agree on the page of the other server. */
async function begin(serverId = id) {
  const begun = await send('POST', `/${serverId}/sign-in`);
  expect(begun.status, begun.text).toBe(200);
  const { address } = signInPageSchema.parse(begun.json);
  const cookie = begun.response.headers.get('set-cookie')!.split(';')[0]!;
  return { address: new URL(address), cookie };
}

async function agree(address: URL, person: OAuthPerson = world.people.editor, isAllowed = true) {
  const { headers } = person;
  Object.assign(headers, await world.signIn(`${person === world.people.editor ? 'edith' : 'otto'}@kiln.example`));
  const query = [...returnedTo(await consent(person, address.search.slice(1), { isAllowed }))];
  // Our page passes these fields on.
  return Object.fromEntries(query.filter(([name]) => name !== 'error_description'));
}

async function connect(): Promise<void> {
  const { address, cookie } = await begin();
  const finished = await send('POST', `/${id}/sign-in/answer`, await agree(address), undefined, cookie);
  expect(finished.status, finished.text).toBe(200);
  await vi.waitFor(async () => expect(await find(id)).toMatchObject({ status: 'ready', signIn: 'connected' }));
}

/** Runs a tool of the connected server. */
async function run(signal = new AbortController().signal) {
  const { tool } = world.services.toolServers.tools.find(({ title }) => title === 'list_content')!;
  return JSON.stringify(await tool.execute({ type: 'page' }, { signal } as never));
}

const tokenRequests = () => http.received.filter(({ path }) => path === '/oauth/token');
const grants = () => world.services.keys.list(world.people.editor.id);

it('connects a server by a sign-in, refreshes its tokens, and signs out', async () => {
  await vi.waitFor(async () => expect(await find(id)).toMatchObject({ status: 'failed', signIn: 'needed' }));
  await connect();
  expect((await find(id)).tools.length).toBeGreaterThan(5);
  expect(await run()).toContain('"total"');

  // After an hour the access token has expired; calls at the same time refresh it once.
  http.received.length = 0;
  vi.setSystemTime(Date.now() + 2 * 3_600_000);
  expect(await Promise.all([run(), run(), run()])).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('"total"')),
  );
  expect(tokenRequests()).toHaveLength(1);

  const { headers } = world.people.admin;
  Object.assign(headers, await world.signIn('ada@kiln.example'));
  expect(await grants()).toHaveLength(1);
  const out = await send('DELETE', `/${id}/sign-in`);
  expect(out.status, out.text).toBe(200);
  expect(await grants()).toEqual([]);
  await vi.waitFor(async () => expect(await find(id)).toMatchObject({ signIn: 'needed' }));
});

it('keeps tokens encrypted and shows them nowhere', async () => {
  await connect();
  // The refresh token is the secret that lasts.
  vi.setSystemTime(Date.now() + 2 * 3_600_000);
  await run();
  const refreshToken = new URLSearchParams(tokenRequests().at(-1)!.body).get('refresh_token')!;
  expect(refreshToken).toMatch(/^tlr_/);
  const file = world.services.env.DATABASE_URL.slice('file:'.length);
  const stored = [file, `${file}-wal`]
    .filter(existsSync)
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
  expect(stored).toContain('enc:1:');
  expect(stored).not.toContain(refreshToken);
});

it('accepts an answer once, only from the same browser and person, in time, with the right issuer', async () => {
  const other = await send('POST', '', { name: 'second', transport: { type: 'http', url: `${http.url}/mcp` } });
  const otherId = toolServersSchema.parse(other.json).items.find(({ name }) => name === 'second')!.id;
  const { address, cookie } = await begin();
  const answer = await agree(address);
  const strange = await begin(otherId);
  const admin = await world.add('Anna', 'admin');
  http.received.length = 0;
  const refuse = async (code: string, ...sent: Parameters<typeof send>) => {
    const { status, json } = await send(...sent);
    expect([status, refusalOf(json)]).toEqual([400, code]);
  };
  const path = `/${id}/sign-in/answer`;
  const unknown = 'tool-server-sign-in-unknown';
  await refuse(unknown, 'POST', path, answer);
  await refuse(unknown, 'POST', path, answer, undefined, strange.cookie);
  await refuse(unknown, 'POST', path, { ...answer, state: 'x'.repeat(43) }, undefined, cookie);
  await refuse(unknown, 'POST', path, answer, admin.headers, cookie);
  // The answer belongs to the other server (mix-up, RFC 9700, 4.4).
  await refuse(unknown, 'POST', `/${otherId}/sign-in/answer`, answer, undefined, cookie);
  await refuse(
    'tool-server-sign-in-failed',
    'POST',
    path,
    { ...answer, iss: 'https://evil.example' },
    undefined,
    cookie,
  );
  // The answer has been used up, and no code has been sent anywhere.
  await refuse(unknown, 'POST', path, answer, undefined, cookie);
  const late = await begin();
  const lateAnswer = await agree(late.address);
  vi.setSystemTime(Date.now() + 11 * 60_000);
  await refuse(unknown, 'POST', path, lateAnswer, undefined, late.cookie);
  const refused = await begin();
  const no = await agree(refused.address, undefined, false);
  await refuse('tool-server-refused', 'POST', path, no, undefined, refused.cookie);
  expect(tokenRequests()).toEqual([]);
  expect(await find(id)).toMatchObject({ signIn: 'needed', tools: [] });
});

it('asks for a new sign-in after its grant was revoked, and after its address was changed', async () => {
  await connect();
  for (const grant of await grants()) await world.services.keys.revoke(grant.id, null);
  await expect(run()).rejects.toThrow(/sign-in/);
  await vi.waitFor(async () => expect(await find(id)).toMatchObject({ status: 'failed', signIn: 'needed' }));
  await connect();
  const transport = { type: 'http', url: `${http.url}/mcp?more=1` };
  expect(await grants()).toHaveLength(1);
  await send('PATCH', `/${id}`, { transport });
  expect(await grants()).toEqual([]);
  await vi.waitFor(async () => expect(await find(id)).toMatchObject({ status: 'failed', signIn: 'needed' }));
});

it.each([
  [
    'that is about another server',
    'tool-server-other-resource',
    { resource: { resource: 'https://bank.example/mcp' } },
  ],
  [
    'with a page that runs as a script',
    'tool-server-sign-in-failed',
    { server: { authorization_endpoint: 'javascript:alert(1)' } },
  ],
  ['with a page of another program', 'tool-server-no-page', { server: { authorization_endpoint: 'ms-msdt:/id' } }],
  ['whose issuer is another one', 'tool-server-sign-in-failed', { server: { issuer: 'https://evil.example' } }],
  ['without PKCE', 'tool-server-sign-in-failed', { server: { code_challenge_methods_supported: ['plain'] } }],
  ['that registers nobody', 'tool-server-not-registered', { registration: 403 }],
  [
    'at an address of this network',
    'tool-server-sign-in-failed',
    { server: { registration_endpoint: 'https://10.0.0.7/register' } },
  ],
  [
    'that registers without encryption',
    'tool-server-unencrypted',
    { server: { registration_endpoint: 'http://other.example/register' } },
  ],
  ['of a cloud', 'tool-server-sign-in-failed', { resource: { authorization_servers: ['http://169.254.169.254'] } }],
] as const)('begins no sign-in with metadata %s', async (_, code, said) => {
  await using server = await startOAuthToolServer(said);
  await send('DELETE', `/${id}`);
  const { status, json } = await send('POST', `/${await add(`${server.url}/mcp`)}/sign-in`);
  expect([status, refusalOf(json)]).toEqual([400, code]);
});
