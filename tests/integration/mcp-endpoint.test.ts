import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type ClientCapabilities, UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AuditPage } from '#server/core/admin/audit';
import { type CallRequest, callRequestSchema, callRequestsSchema } from '#server/core/conversation/pending-approvals';
import type { Scope } from '#server/core/admin/access-rights';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { sendRequest } from '#tests/support/rest-client';

type Person = keyof AccountsServer['people'];

let server: AccountsServer;
const clients: Client[] = [];

beforeAll(async () => {
  server = await startAccountsServer({ seed: true, env: { REQUESTS_PER_MINUTE: '100000' } });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server[Symbol.asyncDispose]();
});

const ask = (who: Person, method: string, path: string, body?: object) =>
  server.ask(server.people[who], { method, path, ...(body !== undefined && { body }) });

async function newKey(who: Person, scopes: readonly Scope[] = ['content:write'], name = 'An assistant') {
  const answer = await ask(who, 'POST', '/api/keys', { name, scopes });
  return z.object({ key: z.string(), apiKey: z.object({ id: z.string() }) }).parse(answer.json());
}

async function connect(key: string, capabilities: ClientCapabilities = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit });
  await client.connect(transport);
  clients.push(client);
  return client;
}

const newClient = async (who: Person, scopes?: readonly Scope[]) => connect((await newKey(who, scopes)).key);

/** A client that can open a page for its user. */
const newOpeningClient = async (who: Person) => connect((await newKey(who)).key, { elicitation: { url: {} } });

interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}, options = {}): Promise<Told> {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const [first] = z.array(z.object({ type: z.literal('text'), text: z.string() })).parse(result.content);
  const data = (result.structuredContent ?? {}) as Told['data'];
  return { isError: result.isError === true, text: first?.text ?? '', data };
}

async function newPage(client: Client, title: string) {
  const made = await call(client, 'create_content', { type: 'page', title });
  expect(made.isError, made.text).toBe(false);
  return z.object({ id: z.string(), slug: z.string() }).parse(made.data);
}

const waiting = async (who: Person): Promise<readonly CallRequest[]> => {
  const answer = await ask(who, 'GET', '/api/call-requests');
  return callRequestsSchema.parse(answer.json()).items.filter(({ status }) => status === 'pending');
};

const decide = (who: Person, { data }: Told, body: object) =>
  ask(who, 'POST', `/api/call-requests/${String(data['requestId'])}`, body);

const statusOf = async (ref: string) => {
  const answer = await ask('editor', 'GET', `/api/content/pages/${ref}`);
  return answer.status === 200 ? (answer.json() as { status: string }).status : answer.status;
};

const rpc = (body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  sendRequest(server.url, {
    method,
    path: '/mcp',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });

describe('offered tools', () => {
  it('depends on its key, with descriptions', async () => {
    const names = async (scopes: readonly Scope[]) => (await (await newClient('editor', scopes)).listTools()).tools;
    const all = await names(['content:write']);
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['create_content', 'search_content', 'undo']));
    expect(
      all.filter(({ name }) => ['keep_in_mind', 'ask_user', 'search_history', 'recall_output'].includes(name)),
    ).toEqual([]);
    expect(all.find(({ name }) => name === 'delete_content')).toMatchObject({
      title: 'Delete content',
      inputSchema: { type: 'object', properties: { ref: { type: 'string' } }, required: ['ref'] },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    });
    const reading = await names(['content:read']);
    expect(reading).toEqual(all.filter(({ annotations }) => annotations?.readOnlyHint));
    expect(reading.length).toBeGreaterThan(5);
  });

  it('does not include disabled tools', async () => {
    const client = await newClient('editor');
    const policies = (toolPolicies: object) => ask('admin', 'PATCH', '/api/settings', { toolPolicies });
    expect((await policies({ create_content: 'off' })).status).toBe(200);
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('create_content');
    expect(await call(client, 'create_content', { type: 'page', title: 'Off' })).toMatchObject({
      isError: true,
      text: 'The tool create_content is switched off.',
    });
    expect((await policies({})).status).toBe(200);
  });

  it('comes with the rules of the site and its pages as text', async () => {
    const rules = { rules: ['Always say mug, never cup.'] };
    expect((await ask('editor', 'PUT', '/api/content/standing-instructions', rules)).status).toBe(200);
    const client = await newClient('editor', ['content:read']);
    expect(client.getInstructions()).toContain('Always say mug, never cup.');
    const { resources } = await client.listResources();
    const workshops = resources.find(({ title }) => title === 'Workshops');
    const { contents } = await client.readResource({ uri: workshops!.uri });
    expect(contents).toEqual([expect.objectContaining({ text: expect.stringContaining('# Workshops\n') as string })]);
    await expect(client.readResource({ uri: 'throughline://content/pag_nobody' })).rejects.toThrow(/There is no/);
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/There is no resource/);
  });
});

it('one assistant reads what another wrote, and the journal names the author', async () => {
  const { id } = await newPage(await newClient('editor'), 'Saltmarsh glazes');
  const reader = await newClient('other', ['content:read']);
  expect((await call(reader, 'search_content', { query: 'saltmarsh glazes' })).text).toContain(id);
  const changes = await ask('admin', 'GET', `/api/content/changes?targetId=${id}`);
  expect(changes.json()).toMatchObject({ items: [{ origin: { actor: 'api', userName: 'Edith Editor' } }] });
});

describe('authentication', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

  it('requires a key with read rights, and refuses other origins even with one', async () => {
    for (const headers of [{}, { authorization: 'Bearer tl_nobody' }]) {
      const refused = await rpc(list, headers);
      expect(refused.status).toBe(401);
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer realm="Throughline", .*resource_metadata="/);
    }
    const talking = await newKey('editor', ['chat']);
    expect((await rpc(list, { authorization: `Bearer ${talking.key}` })).status).toBe(403);
    const { key } = await newKey('editor');
    const authorization = `Bearer ${key}`;
    expect((await rpc(list, { authorization })).status).toBe(200);
    expect((await rpc(list, { authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await rpc(list, { authorization, host: 'evil.example' })).status).toBe(403);
    const preflight = await rpc(undefined, { origin: 'https://evil.example' }, 'OPTIONS');
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
    for (const method of ['GET', 'DELETE']) expect((await rpc(undefined, { authorization }, method)).status).toBe(405);
  });

  it('a key that may only read changes nothing', async () => {
    const client = await newClient('editor', ['content:read']);
    expect(await call(client, 'create_content', { type: 'page', title: 'No' })).toMatchObject({
      isError: true,
      text: 'Not done: this needs the scope "content:draft".',
    });
  });
});

describe('calls that need approval', () => {
  it('does not run before, runs once after, and asks again the next time', async () => {
    const client = await newClient('editor');
    const { slug, id } = await newPage(client, 'To be published');
    const first = await call(client, 'publish_content', { ref: slug });
    expect(first).toMatchObject({
      isError: false,
      text: expect.stringContaining(`${server.origin}/account`) as string,
      data: {
        message: expect.stringMatching(/^Nothing is done yet: .*same call with/) as string,
        status: 'waiting-for-approval',
        summary: expect.stringContaining('Puts "To be published"') as string,
      },
    });
    // The same call is one question, and waits still.
    expect((await call(client, 'publish_content', { ref: slug })).data['requestId']).toBe(first.data['requestId']);
    expect(await statusOf(slug)).toBe('draft');
    expect(await waiting('editor')).toMatchObject([
      { toolName: 'publish_content', keyName: 'An assistant', effect: { targets: [{ id }] }, userName: 'Edith Editor' },
    ]);
    expect(await waiting('other')).toEqual([]);
    expect(await waiting('admin')).toHaveLength(1);

    expect((await decide('other', first, { approved: true })).status).toBe(404);
    const agreed = await decide('editor', first, { approved: true });
    expect(callRequestSchema.parse(agreed.json()).status).toBe('approved');
    expect((await decide('admin', first, { approved: false })).status).toBe(409);
    expect(await statusOf(slug)).toBe('draft');

    const both = await Promise.all([1, 2].map(() => call(client, 'publish_content', { ref: slug })));
    expect(both.filter(({ data }) => data['status'] === 'published')).toHaveLength(1);
    expect(await statusOf(slug)).toBe('published');
    const changes = await ask('admin', 'GET', `/api/content/changes?targetId=${id}&limit=1`);
    expect(changes.json()).toMatchObject({
      items: [{ action: 'publish', origin: { approvalId: first.data['requestId'] } }],
    });
    const nothing = await call(client, 'publish_content', { ref: slug });
    expect(nothing.text).toContain('There is nothing to publish');
    expect(await waiting('editor')).toEqual([]);
    await call(client, 'update_content', { ref: slug, excerpt: 'New.' });
    const again = await call(client, 'publish_content', { ref: slug });
    expect(again.data['requestId']).not.toBe(first.data['requestId']);
    expect((await decide('editor', again, { approved: false })).status).toBe(200);
    const audit = (await ask('admin', 'GET', '/api/admin/audit?limit=20')).json() as AuditPage;
    expect(audit.items.map(({ action, actorName }) => `${action} ${actorName}`)).toEqual(
      expect.arrayContaining(['call-approved Edith Editor', 'tool-run An assistant']),
    );
  });

  it('is for the shown effect: a call whose effect has changed waits for a new decision', async () => {
    const client = await newClient('editor');
    const { slug } = await newPage(client, 'Changed meanwhile');
    const first = await call(client, 'publish_content', { ref: slug });
    expect((await decide('editor', first, { approved: true })).status).toBe(200);
    await ask('other', 'PATCH', `/api/content/pages/${slug}`, { excerpt: 'Something else' });
    const stale = await call(client, 'publish_content', { ref: slug });
    expect(stale.data['status']).toBe('waiting-for-approval');
    expect(stale.data['requestId']).not.toBe(first.data['requestId']);
    expect(await statusOf(slug)).toBe('draft');
    expect((await decide('editor', stale, { approved: true })).status).toBe(200);
    expect((await call(client, 'publish_content', { ref: slug })).data['status']).toBe('published');
  });

  it('is awaited by a listening client, and runs in that very call', async () => {
    const client = await newOpeningClient('editor');
    const { slug } = await newPage(client, 'Waited for');
    // The client is told to open the page, and repeats the call when its user has been there.
    await expect(call(client, 'publish_content', { ref: slug })).rejects.toMatchObject({
      elicitations: [
        { mode: 'url', url: `${server.origin}/account`, message: expect.stringContaining('Waited for') as string },
      ],
    });
    const { told, result } = publishWaiting(client, slug);
    expect(await told).toContain('/account');
    expect((await approve(slug)).status).toBe(200);
    expect(await result).toMatchObject({ isError: false, data: { slug, status: 'published' } });
  });

  it('stops waiting when it is cancelled, and then does not run', async () => {
    const client = await newOpeningClient('editor');
    const [{ slug }, another] = [await newPage(client, 'Cancelled'), await newPage(client, 'Not cancelled')];
    for (const ref of [slug, another.slug])
      await expect(call(client, 'publish_content', { ref })).rejects.toBeInstanceOf(UrlElicitationRequiredError);
    const stop = new AbortController();
    const { told, result } = publishWaiting(client, slug, stop.signal);
    await told;
    stop.abort();
    await expect(result).rejects.toThrow();
    expect((await approve(slug)).status).toBe(200);
    // Who waits looks as often as the other would have.
    const waited = publishWaiting(client, another.slug);
    await waited.told;
    await approve(another.slug);
    expect((await waited.result).isError).toBe(false);
    expect(await statusOf(slug)).toBe('draft');
  });
});

/** Publishes a page in a call that waits, as it was made before; `told`: the progress that its client receives. */
function publishWaiting(client: Client, ref: string, signal?: AbortSignal) {
  const told = Promise.withResolvers<string | undefined>();
  const onprogress = ({ message }: { message?: string }) => told.resolve(message);
  const options = { onprogress, ...(signal !== undefined && { signal }) };
  return { told: told.promise, result: call(client, 'publish_content', { ref }, options) };
}

async function approve(ref: string) {
  const request = (await waiting('editor')).find(({ input }) => JSON.stringify(input) === JSON.stringify({ ref }));
  return ask('editor', 'POST', `/api/call-requests/${request?.id ?? 'none'}`, { approved: true });
}
