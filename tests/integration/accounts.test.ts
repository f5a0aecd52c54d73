import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LOCAL_OWNER } from '#server/core/admin/access-rights';
import { createAccounts } from '#server/platform/auth/accounts';
import { openDatabase } from '#server/platform/database/database';
import { createSessionRepository } from '#server/conversation/store/sessions/session-repository';
import {
  type AccountsServer,
  accountsEnvironment,
  cookieOf,
  ownerCodeOf,
  PASSWORD,
  type SignedIn,
  signIn,
  startAccountsServer,
} from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';
import { said } from '#tests/support/said';
import {
  compiledFolder,
  demoSiteFile,
  type ProductionServer,
  startProductionServer,
} from '#tests/support/production-server';
import { type RestRequest, sendRequest } from '#tests/support/rest-client';

/** Runs one of our commands to its end, with this environment and nothing of the tests'. */
const runScript = (script: string, env: Record<string, string>, args: string[] = [], input = '') =>
  spawnSync(process.execPath, [script, ...args], {
    cwd: join(import.meta.dirname, '..', '..'),
    encoding: 'utf8',
    input,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      NODE_COMPILE_CACHE: compiledFolder,
      AUTH_SECRET: '',
      PUBLIC_URL: '',
      DATABASE_URL: 'file:/nowhere/at/all.db',
      PORT: '0',
      ...env,
    },
  });

const person = z.object({ id: z.string(), role: z.string(), banned: z.boolean() });

describe('the first account of a server', () => {
  let server: ProductionServer;
  let origin: string;
  let code: string;
  const owner = { name: 'Olive Owner', email: 'Owner@Kiln.example', password: PASSWORD };
  const ask = (headers: Record<string, string> = {}, given = code): RestRequest => ({
    method: 'POST',
    path: '/api/auth/owner',
    headers: { origin, ...headers },
    body: { ...owner, code: given },
  });
  const page = () => sendRequest(server.url, { method: 'GET', path: '/login' });

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    // The code is logged at any log level.
    const env = { ...accountsEnvironment(port), TRUST_PROXY: 'on', LOG_LEVEL: 'silent' };
    server = await startProductionServer({ port, env });
    code = ownerCodeOf(server);
  });
  afterAll(() => server.stop());

  it.each([
    ['from a page elsewhere', { origin: 'https://evil.example' }],
    ['from a page of another port', { origin: 'http://127.0.0.1:1' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
  ] as [string, Record<string, string>][])('is refused to a person %s, even with the code', async (_, headers) => {
    expect((await sendRequest(server.url, ask(headers))).status).toBe(403);
    expect((await page()).text).toContain('Create the owner');
  });

  it('is refused to a user of the machine without the code, and guesses are limited', async () => {
    const guess = (address: string) => sendRequest(server.url, ask({ 'x-forwarded-for': address }, 'aaaa-bbbb'));
    expect((await guess('127.0.0.1')).status).toBe(403);
    const guesser = '203.0.113.9';
    for (let at = 0; at < 10; at += 1) expect((await guess(guesser)).status).toBe(403);
    const more = await guess(guesser);
    const right = await sendRequest(server.url, ask({ 'x-forwarded-for': guesser }));
    expect([more.status, right.status]).toEqual([429, 429]);
    expect(more.headers['retry-after']).toMatch(/^\d+$/);
    expect((await page()).text).toContain('Create the owner');
  });

  it('is for who has the code, once, also when two ask together; and is theirs to sign in with', async () => {
    const email = 'olive@kiln.example';
    const asked = ['203.0.113.1', '203.0.113.2'].map((address) => {
      const request = ask({ 'x-forwarded-for': address });
      return sendRequest(server.url, { ...request, body: { ...owner, email, code } });
    });
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const cookie = await signIn(server.url, origin, 'olive@kiln.EXAMPLE');
    const me = await sendRequest(server.url, { method: 'GET', path: '/api/auth/me', headers: { cookie } });
    expect(me.json()).toEqual({
      kind: 'user',
      id: 'own_local',
      name: 'Olive Owner',
      email,
      role: 'admin',
      language: null,
    });
    const shown = await page();
    expect(shown.text).toContain('Sign in');
    expect(shown.text).not.toContain('Create the owner');
    const log = await sendRequest(server.url, { method: 'GET', path: '/api/admin/audit', headers: { cookie } });
    expect(log.text).toContain('"action":"owner-created"');
    expect(log.text).not.toContain(code);
  });
});

describe('a server where people sign in', () => {
  let server: AccountsServer;
  /** A conversation of the time before there were accounts. */
  let earlier: string;
  const folder = mkdtempSync(join(tmpdir(), 'throughline-accounts-'));

  beforeAll(async () => {
    const databaseFile = join(folder, 'site.db');
    copyFileSync(demoSiteFile(), databaseFile);
    const database = await openDatabase({ url: `file:${databaseFile}` });
    const sessions = createSessionRepository(database);
    earlier = (await sessions.create({ ownerId: LOCAL_OWNER, title: 'From before' })).id;
    await database.close();
    const env = { TRUST_PROXY: 'on', OFFLINE_CHUNK_DELAY_MS: '3000' };
    server = await startAccountsServer({ databaseFile, env });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const get = (path: string, who: Pick<SignedIn, 'cookie'> | null, headers: Record<string, string> = {}) =>
    server.ask(who, { method: 'GET', path, headers });
  const change = (id: string, body: object, who = server.people.owner) =>
    server.ask(who, { method: 'PATCH', path: `/api/users/${id}`, body });
  const add = async (name: string, role = 'editor'): Promise<SignedIn> => {
    const email = `${name}@kiln.example`;
    const body = { name, email, role, password: PASSWORD };
    const made = await server.ask(server.people.owner, { method: 'POST', path: '/api/users', body });
    expect(made.status, made.text).toBe(201);
    return {
      ...person.parse(made.json()),
      email,
      password: PASSWORD,
      cookie: await signIn(server.url, server.origin, email),
    };
  };

  it('keeps the conversations of local mode for the owner', async () => {
    const statusFor = async (who: SignedIn) => (await get(`/api/sessions/${earlier}`, who)).status;
    expect([await statusFor(server.people.owner), await statusFor(server.people.editor)]).toEqual([200, 404]);
  });

  it('says the same about an unknown e-mail and a wrong password', async () => {
    const attempt = (email: string, password: string) =>
      server.ask(null, { method: 'POST', path: '/api/auth/sign-in', body: { email, password } });
    const wrong = await attempt(server.people.other.email, 'not the right one');
    const unknown = await attempt('nobody@kiln.example', PASSWORD);
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.text).toBe(unknown.text);
    expect([wrong.headers['set-cookie'], unknown.headers['set-cookie']]).toEqual([undefined, undefined]);
  });

  it('answers to its own name and this machine only, and to health checks', async () => {
    const { port } = new URL(server.url);
    const named = (path: string, host: string) =>
      sendRequest(server.url, { method: 'GET', path, headers: { host, cookie: server.people.owner.cookie } });
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example']) {
      for (const path of ['/', '/login', '/api/sessions', '/site', '/v1/models'])
        expect((await named(path, host)).status, `${path} at ${host}`).toBe(403);
      expect((await named('/api/health', host)).status).toBe(200);
    }
    expect((await named('/api/sessions', `localhost:${port}`)).status).toBe(200);
  });

  it('gives a stranger no data of a page without its layouts, as in client navigation', async () => {
    const inPreview = [
      'preview',
      { children: [['slug', 'workshops', 'oc', null], { children: ['__PAGE__', {}, null, 'refetch'] }] },
    ];
    const tree = ['', { children: ['(content)', { children: inPreview }] }];
    const states = [{}, { 'next-router-state-tree': encodeURIComponent(JSON.stringify(tree)) }];
    for (const state of states) {
      const fetchPage = async (who: SignedIn | null) => {
        const headers = { rsc: '1', ...state };
        // Next wants a digest of such headers in the address, and says which.
        const asked = await get('/preview/workshops', who, headers);
        return get(asked.headers.location ?? '', who, headers);
      };
      expect((await fetchPage(server.people.editor)).text).toContain('Workshops');
      const { text } = await fetchPage(null);
      expect(text).toContain('/login?next=%2Fpreview%2Fworkshops');
      expect(text).not.toContain('Workshops');
    }
  });

  it('redirects a signed-in user to the requested page, and nowhere else', async () => {
    const to = async (next: string) =>
      (await get(`/login?next=${encodeURIComponent(next)}`, server.people.editor)).headers.location;
    expect(await to('/library/media')).toBe('/library/media');
    expect(await to('https://evil.example/')).toBe('/');
    expect(await to('//evil.example/')).toBe('/');
  });

  it('applies a role from the next request on', async () => {
    const riser = await add('riser');
    expect((await get('/api/settings', riser)).status).toBe(403);
    expect((await change(riser.id, { role: 'admin' })).status).toBe(200);
    expect((await get('/api/settings', riser)).status).toBe(200);
    expect((await get('/admin', riser)).status).toBe(200);
    expect((await change(riser.id, { role: 'editor' })).status).toBe(200);
    expect((await get('/api/settings', riser)).status).toBe(403);
    expect((await get('/admin', riser)).status).toBe(403);
  });

  it('immediately signs out users who are suspended, deleted or get another password', async () => {
    const gone = await add('gone');
    expect((await change(gone.id, { banned: true })).json()).toMatchObject({ banned: true });
    expect((await get('/api/sessions', gone)).status).toBe(401);
    expect((await get('/', gone)).status).toBe(307);
    const attempt = (password: string) =>
      server.ask(null, { method: 'POST', path: '/api/auth/sign-in', body: { email: gone.email, password } });
    expect((await attempt(PASSWORD)).status).toBe(403);
    expect((await attempt('not the right one')).status).toBe(401);
    expect((await change(gone.id, { banned: false })).status).toBe(200);
    const back = { cookie: cookieOf(await attempt(PASSWORD)) };
    expect((await get('/api/sessions', back)).status).toBe(200);
    expect((await change(gone.id, { password: 'another one, long enough' })).status).toBe(200);
    expect((await get('/api/sessions', back)).status).toBe(401);
    const again = { cookie: cookieOf(await attempt('another one, long enough')) };
    const kept = await server.ask(again, { method: 'POST', path: '/api/sessions', body: { title: 'Left behind' } });
    expect((await server.ask(server.people.owner, { method: 'DELETE', path: `/api/users/${gone.id}` })).status).toBe(
      204,
    );
    expect((await get('/api/sessions', again)).status).toBe(401);
    expect((await attempt('another one, long enough')).status).toBe(401);
    // Their conversations are looked after.
    const { id } = z.object({ id: z.string() }).parse(kept.json());
    expect((await get(`/api/admin/sessions/${id}`, server.people.admin)).status).toBe(200);
  });

  it('ends running work of a suspended user: streams and turns', async () => {
    const { owner } = server.people;
    const gone = await add('listener', 'admin');
    const made = await server.ask(gone, { method: 'POST', path: '/api/sessions', body: {} });
    const { id } = z.object({ id: z.string() }).parse(made.json());
    const heard = ['/api/admin/events', `/api/sessions/${id}/events`].map((path) => get(path, gone));
    const body = { sessionId: id, message: said('Tell me a very long story, please.') };
    const sent = [1, 2].map(() => server.ask(gone, { method: 'POST', path: '/api/message/queue', body }));
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([202, 202]);
    const overview = async () => (await get(`/api/admin/sessions/${id}`, owner)).json();
    expect(await overview()).toMatchObject({ state: 'running', queued: 1 });
    expect((await change(gone.id, { banned: true })).status).toBe(200);
    expect(await overview()).toMatchObject({ state: 'held', queued: 1 });
    // Both end by themselves: there is a whole answer.
    expect((await Promise.all(heard)).map(({ status }) => status)).toEqual([200, 200]);
    expect(await overview()).toMatchObject({ state: 'held', queued: 1 });
  });

  it("ends a browser's streams once it is signed out, by itself or another browser", async () => {
    const self = await add('leaver');
    const elsewhere = { cookie: await signIn(server.url, server.origin, self.email) };
    const made = await server.ask(self, { method: 'POST', path: '/api/sessions', body: {} });
    const { id } = z.object({ id: z.string() }).parse(made.json());
    const over: string[] = [];
    const listen = async (who: { readonly cookie: string }, name: string) => {
      const { body } = await fetch(`${server.url}/api/sessions/${id}/events`, { headers: who });
      void readAll(body!).then(() => over.push(name));
    };
    await listen(elsewhere, 'elsewhere');
    await listen(self, 'self');
    const signInShape = z.object({ items: z.array(z.looseObject({ id: z.string(), isCurrent: z.boolean() })) });
    const signIns = signInShape.parse((await get('/api/auth/sign-ins', self)).json()).items;
    const other = signIns.find(({ isCurrent }) => !isCurrent)?.id ?? '';
    await server.ask(self, { method: 'DELETE', path: `/api/auth/sign-ins/${other}` });
    // Half of the time after which a stream is looked at in any case.
    const atOnce = { timeout: 5_000 };
    await expect.poll(() => over, atOnce).toEqual(['elsewhere']);
    await server.ask(self, { method: 'POST', path: '/api/auth/sign-out', body: {} });
    await expect.poll(() => over, atOnce).toEqual(['elsewhere', 'self']);
  });

  it('does not reveal or change the password at a browser that was left open', async () => {
    const self = await add('careless');
    const guess = () =>
      server.ask(self, {
        method: 'PATCH',
        path: '/api/auth/me',
        headers: { 'x-forwarded-for': '203.0.113.9' },
        body: { password: { current: 'a guess', next: 'a password of somebody else' } },
      });
    const statuses: number[] = [];
    for (let times = 0; times < 11; times += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 400), 429]);
  });

  it('changes the own name, and the own password with the old one', async () => {
    const self = await add('self');
    const elsewhere = { cookie: await signIn(server.url, server.origin, self.email) };
    const patch = (body: object) => server.ask(self, { method: 'PATCH', path: '/api/auth/me', body });
    expect((await patch({ name: 'Selma' })).json()).toMatchObject({ name: 'Selma', role: 'editor' });
    const next = 'another one, long enough';
    expect((await patch({ password: { current: 'wrong', next } })).status).toBe(400);
    expect((await get('/api/sessions', elsewhere)).status).toBe(200);
    expect((await patch({ password: { current: PASSWORD, next } })).status).toBe(200);
    expect((await get('/api/sessions', elsewhere)).status).toBe(401);
    expect((await get('/api/sessions', self)).status).toBe(200);
  });

  it('answers a user in the language of the account, not of the browser', async () => {
    const self = await add('polyglot');
    const speaks = async (headers: Record<string, string>, path = '/account') => {
      const { text } = await sendRequest(server.url, { method: 'GET', path, headers });
      return /<html lang="(\w+)"/.exec(text)?.[1];
    };
    const german = { 'accept-language': 'de' };
    const choose = (language: string | null) =>
      server.ask(self, { method: 'PATCH', path: '/api/auth/me', body: { language } });
    expect([await speaks({ ...german, cookie: self.cookie }), await speaks({ cookie: self.cookie })]).toEqual([
      'de',
      'en',
    ]);
    expect((await choose('de')).json()).toMatchObject({ language: 'de', name: 'polyglot' });
    const elsewhere = await signIn(server.url, server.origin, self.email);
    expect(await speaks({ cookie: `${elsewhere}; throughline-language=en`, 'accept-language': 'en' })).toBe('de');
    expect((await choose('en')).status).toBe(200);
    expect(await speaks({ ...german, cookie: elsewhere })).toBe('en');
    expect((await choose(null)).json()).toMatchObject({ language: null });
    expect(await speaks({ ...german, cookie: `${elsewhere}; throughline-language=en` })).toBe('en');
    expect(await speaks(german, '/login')).toBe('de');
  });

  it('adds no user twice', async () => {
    const body = { name: 'Again', email: server.people.editor.email.toUpperCase(), role: 'editor', password: PASSWORD };
    expect((await server.ask(server.people.owner, { method: 'POST', path: '/api/users', body })).status).toBe(409);
  });

  // The last: it signs the owner out.
  it('restores access of a locked-out person from the command line', async () => {
    const env = { DATABASE_URL: `file:${server.databaseFile}` };
    const set = (args: string, input?: string) =>
      runScript('scripts/user.ts', env, ['password', ...args.split(' ')], input);
    const { owner, editor } = server.people;
    const meOf = async (who: SignedIn) => (await server.ask(who, { method: 'GET', path: '/api/auth/me' })).status;
    const unknown = set('--email eve@kiln.example', PASSWORD);
    expect(unknown).toMatchObject({ status: 1, stdout: '' });
    expect(unknown.stderr).toContain('There is no account "eve@kiln.example".');
    expect([await meOf(owner), await meOf(editor)]).toEqual([200, 200]);

    const given = set(`--email ${editor.email.toUpperCase()}`, 'quite another password\n').stdout;
    expect(given).toBe(
      `${editor.email} has another password, and is signed out everywhere.\n` +
        'Their API keys are revoked; --keep-keys would have kept them.\n',
    );
    const shown = set(`--email ${owner.email}`).stdout;
    expect([await meOf(owner), await meOf(editor)]).toEqual([401, 401]);
    await expect(signIn(server.url, server.origin, editor.email)).rejects.toThrow('401');
    await signIn(server.url, server.origin, editor.email, 'quite another password');
    const made = /Password, shown this once: (\S{22})\n/.exec(shown)?.[1] ?? '';
    const cookie = await signIn(server.url, server.origin, owner.email, made);
    const path = '/api/admin/audit?action=user-changed&limit=2';
    const entry = { userId: null, actorName: 'npm run user', details: { changed: ['password'], apiKeys: 'revoke' } };
    expect((await server.ask({ cookie }, { method: 'GET', path })).json()).toMatchObject({
      items: [
        { ...entry, target: owner.email },
        { ...entry, target: editor.email },
      ],
    });
  });
});

describe('the start', () => {
  it('refuses what it cannot be started with, in words and with no stack', () => {
    const env = { AUTH_MODE: 'accounts', PUBLIC_URL: 'https://cms.example' };
    const { status, stderr } = runScript('scripts/start.ts', env);
    expect(status).toBe(1);
    expect(stderr).toContain('AUTH_SECRET must be set');
    expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
  });

  it('makes accounts from the command line, the first of them an administrator', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-user-'));
    const databaseFile = join(folder, 'site.db');
    const env = { DATABASE_URL: `file:${databaseFile}` };
    const user = (args: string, input?: string) => runScript('scripts/user.ts', env, args.split(' '), input);
    const { stderr } = user('create --email olive --role admin', 'short');
    expect(stderr).toContain('email must look like name@example.com');
    expect(stderr).toContain('at least 12 characters');
    const made = user('create --email olive@kiln.example --role admin');
    expect(made.stdout).toContain('olive@kiln.example may sign in (admin).');
    const password = /Password, shown this once: (\S{22})\n/.exec(made.stdout)?.[1] ?? '';

    const database = await openDatabase({ url: `file:${databaseFile}` });
    const secrets = { current: accountsEnvironment(80)['AUTH_SECRET'] ?? '', former: [] };
    const onFault = (message: string) => expect.fail(message);
    const accounts = createAccounts({ database, origin: 'http://localhost', secrets, onFault });
    const { person: olive } = await accounts.signIn('olive@kiln.example', password);
    expect(olive).toMatchObject({ id: LOCAL_OWNER, name: 'olive', role: 'admin' });
    await database.close();
    rmSync(folder, { recursive: true });
  });
});
