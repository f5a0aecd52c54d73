import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { callRequestsSchema } from '#server/core/conversation/pending-approvals';
import { sessionSchema } from '#server/core/conversation/sessions';
import { siteChoicesSchema, sitesSchema } from '#server/core/site/remote-site';
import { ACCESS, aboutThings } from '#tests/support/access-table';
import { type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { type FakeOpenRouter, type FakeResponse, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import { REFUSALS } from '#tests/support/refusals';
import { errorBody, type RestAnswer, sendRequest } from '#tests/support/rest-client';
import { said } from '#tests/support/said';
import { approvalsSchema } from '#server/core/conversation/approvals';
import { NO_APPROVAL } from '#tests/support/decisions';
import { startWordPressStub, STUB_USER, type WordPressStub } from '#tests/support/wordpress-stub';
import { translator } from '#components/i18n.ts';

const t = translator('shared');

/* Several sites, and people who may have some of them: at every route, and in parallel conversations. */

/** What is on the connected site alone, and on the built-in one alone. */
const THEIRS = /Kilns\\*"|Stub & Sons|All about Kilns/;
const OURS = /Tidewrack|winter-seconds-sale/i;

const JSON_BODY = { 'content-type': 'application/json' };

type Person = keyof AccountsServer['people'];

let server: AccountsServer;
let stub: WordPressStub;
let another: WordPressStub;
let provider: FakeOpenRouter;
let connected: string;
/** What the model answers, by what it was asked last. */
let answer: (asked: string, step: number) => FakeResponse | Promise<FakeResponse> = () => ({ text: 'Done.' });

beforeAll(async () => {
  [stub, another] = [await startWordPressStub(), await startWordPressStub()];
  provider = await startFakeOpenRouter({
    respond: ({ messages }) => {
      const last = messages.findLastIndex(({ role }) => role === 'user');
      return answer(JSON.stringify(messages[last]), messages.length - last - 1);
    },
  });
  const model = { OPENROUTER_API_KEY: 'test', OPENROUTER_BASE_URL: provider.baseUrl, DEFAULT_MODEL: 'openai/gpt-4o' };
  const plenty = { REQUESTS_PER_MINUTE: '100000', TURNS_PER_MINUTE: '100000', PAGES_PER_MINUTE: '100000' };
  server = await startAccountsServer({ seed: true, env: { ...model, ...plenty } });
  connected = await connect(stub);
});
afterAll(async () => {
  await server.stop();
  await provider.close();
  stub.close();
  another.close();
});

interface Asked {
  readonly site?: string;
  readonly body?: object;
}

const call = (who: Person, method: string, path: string, { site, body }: Asked = {}): Promise<RestAnswer> =>
  server.ask(server.people[who], {
    method,
    path,
    ...(body !== undefined && { body }),
    ...(site !== undefined && { headers: { 'x-site': site } }),
    // The event stream of a session does not end.
    leavesStreams: path.endsWith('/events'),
  });
const reportOf = (given: RestAnswer) => sitesSchema.parse(given.json());

async function connect({ url }: WordPressStub): Promise<string> {
  const made = await call('owner', 'POST', '/api/settings/sites', { body: { url, ...STUB_USER } });
  const isIt = (site: { url: string }) => site.url === url;
  const { id } = reportOf(made).wordpress.find(isIt)!;
  await vi.waitFor(async () => {
    const { wordpress } = reportOf(await call('owner', 'GET', '/api/settings/sites'));
    expect(wordpress.find(isIt)?.pulledAt).not.toBeNull();
  });
  return id;
}

/** Id of the approval that waits in a conversation. */
async function waitingIn(who: Person, sessionId: string): Promise<string | undefined> {
  const { items } = approvalsSchema.parse((await call(who, 'GET', `/api/sessions/${sessionId}/approvals`)).json());
  return items[0]?.approvalId;
}

it("an unknown site cannot be assigned, and a removed one does not block an account's changes", async () => {
  const gone = `wps_${'0'.repeat(26)}`;
  const path = `/api/users/${server.people.other.id}`;
  const refused = await call('owner', 'PATCH', path, { body: { sites: ['embedded', gone] } });
  expect(refused.status).toBe(400);
  expect(errorBody.parse(refused.json()).error.message).toBe(
    `There is no site ${gone}. The sites are: embedded, ${connected} (Stub & Sons).`,
  );
  const newcomer = { name: 'Nina', email: 'nina@kiln.example', role: 'editor', sites: [gone] };
  expect((await call('owner', 'POST', '/api/users', { body: newcomer })).status).toBe(400);
});

const setSites = async (who: Person, sites: readonly string[] | null) => {
  const { status } = await call('owner', 'PATCH', `/api/users/${server.people[who].id}`, { body: { sites } });
  expect(status).toBe(200);
};
const newSession = async (who: Person, site: string) => {
  const made = await call(who, 'POST', '/api/sessions', { site, body: {} });
  return sessionSchema.parse(made.json()).id;
};
const say = (who: Person, id: string, text: string) =>
  call(who, 'POST', '/api/chat', { body: { id, message: said(text) } });
const sessionsOf = async (who: Person, site: string) => {
  const { items } = (await call(who, 'GET', '/api/sessions', { site })).json() as { items: { id: string }[] };
  return items.map(({ id }) => id);
};

it("connecting a site changes no other user's site, and each request names its site", async () => {
  const { items, currentId, standardId } = siteChoicesSchema.parse((await call('editor', 'GET', '/api/sites')).json());
  expect([items.map(({ id }) => id), currentId, standardId]).toEqual([['embedded', connected], 'embedded', 'embedded']);
  const pages = async (asked: Asked, query = '') =>
    (await call('editor', 'GET', `/api/content/pages${query}`, asked)).text;
  expect(await pages({})).toMatch(OURS);
  for (const text of [await pages({ site: connected }), await pages({}, `?x-site=${connected}`)]) {
    expect(text).toMatch(THEIRS);
    expect(text).not.toMatch(OURS);
  }
  const inBrowser = await server.ask(
    { cookie: `${server.people.editor.cookie}; throughline-site=${connected}` },
    { method: 'GET', path: '/api/content/pages' },
  );
  expect(inBrowser.text).toMatch(THEIRS);
  const [here, there] = [await newSession('editor', 'embedded'), await newSession('editor', connected)];
  expect(await sessionsOf('editor', 'embedded')).toEqual([here]);
  expect(await sessionsOf('editor', connected)).toEqual([there]);
});

it('a person without a site gets nothing of it, by any route', async () => {
  const id = await newSession('editor', connected);
  answer = () => ({ text: 'About Kilns.' });
  await say('editor', id, 'What of Kilns?');
  await setSites('editor', ['embedded']);
  await setSites('author', []);
  try {
    // Every route with a caller, for a known site.
    for (const [name, row] of Object.entries(ACCESS)) {
      const refusal = REFUSALS[name];
      const path = aboutThings(row.path ?? refusal?.path ?? '');
      if (row.needs !== 'chat' && !row.needs.startsWith('content:')) continue;
      if (path === '' || path.includes('{')) continue;
      const [method = ''] = name.split(' ');
      const body = row.body ?? refusal?.body;
      const got = await call('editor', method, path, { site: connected, ...(body && { body }) });
      expect([got.status, got.text], name).toEqual([404, expect.stringContaining('There is no site')]);
    }
    // Their own conversation on it, by its id.
    const reads = ['', '/messages', '/export?format=json', '/events', '/context', '/thread', '/undoable', '/approvals'];
    for (const rest of reads)
      expect((await call('editor', 'GET', `/api/sessions/${id}${rest}`)).status, rest).toBe(404);
    for (const [path, body] of [
      ['/api/chat', { id, message: said('On') }],
      ['/api/message/queue', { sessionId: id, message: said('On') }],
      [`/api/chat/${id}/cancel`, {}],
      [`/api/sessions/${id}/approvals`, { decisions: [{ approvalId: NO_APPROVAL, approved: true }] }],
    ] as const) {
      expect((await call('editor', 'POST', path, { body })).status, path).toBe(404);
    }
    // What has no name of a site is about another one, or about none.
    const key = z
      .object({ key: z.string() })
      .parse(
        (
          await call('editor', 'POST', '/api/keys', { body: { name: 'Sync', scopes: ['content:write', 'chat'] } })
        ).json(),
      );
    const rpc = (method: string, params: object, query = '') =>
      sendRequest(server.url, {
        method: 'POST',
        path: `/mcp${query}`,
        headers: { authorization: `Bearer ${key.key}`, accept: 'application/json, text/event-stream', ...JSON_BODY },
        body: { jsonrpc: '2.0', id: 1, method, params },
      });
    const seen = [
      ...(await Promise.all(
        [
          '/api/sites',
          '/api/sessions',
          '/api/search?q=Kilns',
          '/api/content/pages',
          '/api/content/changes',
          '/api/content/export',
          '/api/content/imports',
          '/api/content/planned',
          '/api/content/trash',
          '/api/content/standing-instructions',
          '/api/approvals',
          '/api/call-requests',
          '/preview',
          '/library/pages',
          '/',
          `/preview/~${connected}/kilns`,
          `/site/~${connected}/kilns`,
          `/c/${id}`,
        ].map((path) => call('editor', 'GET', path)),
      )),
      await rpc('resources/list', {}),
      await rpc('tools/call', { name: 'search_content', arguments: { query: 'Kilns' } }),
      await rpc('tools/call', { name: 'list_content', arguments: {} }),
    ];
    for (const { text } of seen)
      expect(text).not.toMatch(/Kilns\b.*All about|"title":"Kilns"|About Kilns\.|Stub (&amp;|&) Sons/);
    expect(await rpc('tools/list', {}, `?x-site=${connected}`)).toMatchObject({ status: 404 });
    for (const root of ['preview', 'site', 'look/page', 'look/file']) {
      const path = `/${root}/~${connected}/kilns`;
      expect((await call('editor', 'GET', path)).status, path).toBe(404);
      expect((await server.ask(null, { method: 'GET', path })).text, path).not.toMatch(THEIRS);
    }
    // A user without a site learns that, and can still sign out.
    const none = await call('author', 'GET', '/api/content/pages');
    expect([none.status, none.text]).toEqual([403, expect.stringContaining('Ask an administrator')]);
    expect(errorBody.parse(none.json()).error.code).toBe('no_site');
    for (const path of ['/', '/library/pages', `/c/${id}`]) {
      const page = await call('author', 'GET', path);
      expect([page.status, page.text], path).toEqual([200, expect.stringContaining(t('sites.none'))]);
      expect(page.text).not.toMatch(OURS);
    }
    expect(await call('author', 'GET', '/preview')).toMatchObject({ status: 307, headers: { location: '/' } });
    expect((await call('author', 'GET', '/api/auth/me')).status).toBe(200);
    expect((await call('author', 'GET', '/api/sites')).json()).toMatchObject({ items: [], currentId: null });
  } finally {
    await setSites('editor', null);
    await setSites('author', null);
  }
  expect((await call('editor', 'GET', `/api/sessions/${id}/messages`)).text).toContain('About Kilns.');
});

it('work for a person ends with their site, and pending approvals go to those who have it', async () => {
  const begun = Promise.withResolvers<void>();
  answer = async () => {
    begun.resolve();
    return { hang: true };
  };
  const id = await newSession('editor', connected);
  const answered = say('editor', id, 'Go on');
  await begun.promise;
  await setSites('editor', ['embedded']);
  await answered;
  expect((await call('admin', 'GET', `/api/sessions/${id}/messages`)).text).toContain('cancelled');
  await setSites('editor', null);

  // An administrator has all sites, regardless of earlier choices: only the role matters.
  const change = (body: object) => call('owner', 'PATCH', `/api/users/${server.people.other.id}`, { body });
  expect((await change({ role: 'admin', sites: ['embedded'] })).status).toBe(200);
  const asAdmin = await newSession('other', connected);
  const again = Promise.withResolvers<void>();
  answer = async () => {
    again.resolve();
    return { hang: true };
  };
  const held = say('other', asAdmin, 'Go on');
  await again.promise;
  expect((await change({ role: 'editor' })).status).toBe(200);
  expect((await held).status).toBe(200);
  expect((await call('admin', 'GET', `/api/sessions/${asAdmin}/messages`)).text).toContain('cancelled');
  await setSites('other', null);

  answer = (_, step) =>
    step === 0 ? { toolCalls: [{ id: 'call_del', name: 'delete_content', input: { ref: 'kilns' } }] } : { text: 'Ok.' };
  const asked = await newSession('author', connected);
  await say('author', asked, 'Delete it');
  const waiting = async (who: Person) => JSON.stringify((await call(who, 'GET', '/api/approvals')).json());
  expect(await waiting('other')).toContain(asked);
  await setSites('other', ['embedded']);
  expect(await waiting('other')).not.toContain(asked);
  const no = { decisions: [{ approvalId: await waitingIn('author', asked), approved: false }] };
  expect((await call('other', 'POST', `/api/sessions/${asked}/approvals`, { body: no })).status).toBe(404);
  await setSites('other', null);
  expect((await call('other', 'POST', `/api/sessions/${asked}/approvals`, { body: no })).status).toBe(200);
});

it('a pending approval on one site does not block another, and runs on its own site', async () => {
  answer = (asked, step) =>
    asked.includes('sale') && step === 0
      ? { toolCalls: [{ id: 'call_sale', name: 'publish_content', input: { ref: 'winter-seconds-sale' } }] }
      : { text: 'Done.' };
  const here = await newSession('editor', 'embedded');
  expect((await say('editor', here, 'Publish the sale')).text).toContain('tool-approval-request');
  const activate = (siteId: string) => call('owner', 'POST', '/api/settings/sites/active', { body: { siteId } });
  expect((await activate(connected)).status).toBe(200);
  const there = await newSession('editor', connected);
  expect((await say('editor', there, 'Hello')).text).toContain('Done.');
  const body = { decisions: [{ approvalId: await waitingIn('editor', here), approved: true }] };
  expect((await call('editor', 'POST', `/api/sessions/${here}/approvals`, { body })).status).toBe(200);
  await expect.poll(async () => (await call('editor', 'GET', `/api/chat/${here}/stream`)).status).toBe(204);
  const page = await call('editor', 'GET', '/api/content/pages/winter-seconds-sale', { site: 'embedded' });
  expect([page.status, (page.json() as { status?: string }).status ?? page.text]).toEqual([200, 'published']);
  expect((await activate('embedded')).status).toBe(200);
});

it('conversations on two sites run in parallel, and none reads or changes the other site', async () => {
  const standing = await call('owner', 'PUT', '/api/content/standing-instructions', {
    site: 'embedded',
    body: { rules: ['Say SEASALT.'] },
  });
  expect(standing.status).toBe(200);
  const ROUNDS = 4;
  answer = async (asked, step) => {
    const isHere = asked.includes('ALPHA');
    // One of the calls waits for the other conversation's, again and again.
    await new Promise((resolve) => setImmediate(resolve));
    const name = step === 0 ? 'list_content' : 'search_content';
    const list = { id: `call_${step}_${isHere}`, name, input: name === 'list_content' ? {} : { query: 'a' } };
    const make = {
      id: `make_${step}_${isHere}`,
      name: 'create_content',
      input: { type: 'page', title: `ALPHA ${asked.length} ${step}` },
    };
    if (step > 2 * ROUNDS) return { text: 'Done.' };
    return { toolCalls: isHere && step > 0 ? [list, make] : [list] };
  };
  const before = provider.requests.length;
  const sessions = await Promise.all([
    newSession('editor', 'embedded'),
    newSession('other', connected),
    newSession('owner', 'embedded'),
    newSession('owner', connected),
  ]);
  const people = ['editor', 'other', 'owner', 'owner'] as const;
  await Promise.all(sessions.map((id, index) => say(people[index]!, id, index % 2 === 0 ? 'ALPHA' : 'OMEGA')));
  const requests = provider.requests.slice(before).map(({ body }) => JSON.stringify(body));
  const [here, there] = ['ALPHA', 'OMEGA'].map((mark) => requests.filter((text) => text.includes(mark)));
  expect([here!.length, there!.length].every((count) => count > ROUNDS)).toBe(true);
  for (const text of here!) {
    expect(text).toContain('SEASALT');
    expect(text).not.toMatch(THEIRS);
  }
  for (const text of there!) {
    expect(text).not.toMatch(/SEASALT|ALPHA/);
    expect(text).not.toMatch(OURS);
  }
  const changes = (site: string) => call('editor', 'GET', '/api/content/changes?limit=100', { site });
  expect((await changes('embedded')).text).toContain('ALPHA');
  expect((await changes(connected)).text).not.toContain('ALPHA');
});

it('a call of another assistant has one site, which its approver must have', async () => {
  const made = await call('author', 'POST', '/api/keys', { body: { name: 'Sync', scopes: ['content:draft'] } });
  const { key } = z.object({ key: z.string() }).parse(made.json());
  const called = await sendRequest(server.url, {
    method: 'POST',
    path: '/mcp',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'application/json, text/event-stream',
      ...JSON_BODY,
      'x-site': connected,
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'delete_content', arguments: { ref: 'kilns' } },
    },
  });
  const asked = async () => callRequestsSchema.parse((await call('other', 'GET', '/api/call-requests')).json()).items;
  const [request] = await asked();
  expect(request, called.text).toMatchObject({ siteId: connected, toolName: 'delete_content' });
  await setSites('other', ['embedded']);
  expect(await asked()).toEqual([]);
  const decide = { body: { approved: false } };
  expect((await call('other', 'POST', `/api/call-requests/${request!.id}`, decide)).status).toBe(404);
  await setSites('other', null);
});

it('conversations of a disconnected site show that, can be read, and cannot be continued', async () => {
  const chosen = await connect(another);
  answer = () => ({ text: 'About Kilns.' });
  const id = await newSession('editor', connected);
  await say('editor', id, 'What of Kilns?');
  answer = () => ({ toolCalls: [{ id: 'call_end', name: 'delete_content', input: { ref: 'kilns' } }] });
  const waits = await newSession('author', connected);
  await say('author', waits, 'Delete it');
  const busy = await call('owner', 'DELETE', `/api/settings/sites/${connected}`);
  expect([busy.status, busy.text]).toEqual([409, expect.stringContaining('waiting for a decision')]);
  answer = () => ({ text: 'Then not.' });
  const no = { decisions: [{ approvalId: await waitingIn('author', waits), approved: false }] };
  expect((await call('author', 'POST', `/api/sessions/${waits}/approvals`, { body: no })).status).toBe(200);
  await expect.poll(async () => (await call('author', 'GET', `/api/chat/${waits}/stream`)).status).toBe(204);
  const left = await call('owner', 'DELETE', `/api/settings/sites/${connected}`);
  expect([left.status, left.text]).toEqual([204, '']);
  expect(await sessionsOf('editor', 'embedded')).toContain(id);
  // Its page is about the site that was chosen in the browser, which is neither the standard one nor gone.
  const cookie = `${server.people.editor.cookie}; throughline-site=${chosen}`;
  const page = await server.ask({ cookie }, { method: 'GET', path: `/c/${id}` });
  expect([page.status, /"currentId\\*":\\*"(\w+)/.exec(page.text)?.[1]]).toEqual([200, chosen]);
  expect((await call('editor', 'GET', `/api/sessions/${id}/messages`)).text).toContain('About Kilns.');
  for (const rest of ['/context', '/thread', '/undoable']) {
    expect((await call('editor', 'GET', `/api/sessions/${id}${rest}`)).status, rest).toBe(200);
  }
  const refused = await say('editor', id, 'Go on');
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('not connected any more')]);
  const lost = await call('editor', 'GET', '/api/content/pages', { site: connected });
  expect([lost.status, lost.text]).toEqual([404, expect.stringContaining('There is no site')]);
});
