import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { meSchema, peopleSchema } from '#server/core/admin/people';
import { OIDC_CLIENT, type OidcServer, startOidcServer } from '#tests/peers/support/oidc-server';
import { type AccountsServer, cookieOf, startAccountsServer } from '#tests/support/accounts-server';
import { openThings } from '#tests/support/editors-things';
import { freePort } from '#tests/support/free-port';

/* Sign-in with OpenID Connect against a real provider: who is admitted and who is refused. */

const people = [
  { sub: 'edith', email: 'editor@kiln.example', email_verified: true, name: 'Edith of the provider' },
  { sub: 'mallory', email: 'admin@kiln.example', email_verified: false, name: 'Mallory' },
  { sub: 'newcomer', email: 'new@kiln.example', email_verified: true, name: 'Nina New', role: 'admin' },
];

let server: AccountsServer;
let provider: OidcServer;

beforeAll(async () => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  provider = await startOidcServer(origin, people);
  server = await startAccountsServer({
    port,
    env: {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: OIDC_CLIENT.client_id,
      OIDC_CLIENT_SECRET: OIDC_CLIENT.client_secret,
      OIDC_NAME: 'The club',
      OIDC_NEW_PEOPLE: 'author',
    },
  });
});
afterAll(async () => {
  await server.stop();
  await provider[Symbol.asyncDispose]();
});

const begun = z.object({ url: z.url() });

/** Begins in a browser, which has its cookies from then on. */
async function begin(body: object = {}, cookie = '') {
  const answer = await server.ask(cookie === '' ? null : { cookie }, {
    method: 'POST',
    path: '/api/auth/sign-in/oidc',
    body,
  });
  expect(answer.status, answer.text).toBe(200);
  return { url: begun.parse(answer.json()).url, cookie: [cookie, cookieOf(answer)].filter(Boolean).join('; ') };
}

/** Comes back from the provider. */
async function comeBack(address: string, cookie: string) {
  const { pathname, search } = new URL(address);
  const answer = await server.ask({ cookie }, { method: 'GET', path: `${pathname}${search}` });
  return { location: answer.headers.location ?? '', status: answer.status, cookie: cookieOf(answer) };
}

async function enter(sub: string, body: object = {}) {
  const { url, cookie } = await begin(body);
  return comeBack(await provider.signIn(url, sub), cookie);
}

const me = async (cookie: string) => {
  const answer = await server.ask({ cookie }, { method: 'GET', path: '/api/auth/me' });
  return answer.status === 200 ? meSchema.parse(answer.json()) : null;
};
const everybody = async () =>
  peopleSchema.parse((await server.ask(server.people.owner, { method: 'GET', path: '/api/users' })).json()).items;

it('admits users added here, by verified address, and leads to the requested page', async () => {
  const entered = await enter('edith', { next: '/library/pages' });
  expect([entered.status, entered.location]).toEqual([303, `${server.origin}/library/pages`]);
  // Name and role are as an administrator has set them.
  expect(await me(entered.cookie)).toMatchObject({ id: server.people.editor.id, name: 'Edith Editor', role: 'editor' });
  // The password stays another way in.
  expect(await me(server.people.editor.cookie)).toMatchObject({ id: server.people.editor.id });
  expect((await me((await enter('edith')).cookie))?.id).toBe(server.people.editor.id);
});

it('creates an account with the role set for new users, ignoring roles of the provider', async () => {
  const entered = await enter('newcomer');
  expect(entered.location).toBe(`${server.origin}/`);
  expect(await me(entered.cookie)).toMatchObject({ name: 'Nina New', email: 'new@kiln.example', role: 'author' });
  expect((await everybody()).find(({ email }) => email === 'new@kiln.example')).toMatchObject({ isInvited: false });
});

it('does not take an address that the provider has not verified: it may be anybody’s', async () => {
  const refused = await enter('mallory');
  expect(refused.location).toContain('/login?');
  expect(refused.location).toContain('error=email_not_verified');
  expect(await me(refused.cookie)).toBeNull();
});

it('refuses an answer for another browser, a repeated one, and a forged one', async () => {
  const { url, cookie } = await begin();
  const back = await provider.signIn(url, 'edith');
  const other = await begin();
  for (const foreign of [other.cookie, '']) {
    const refused = await comeBack(back, foreign);
    expect(refused.location).toContain('/login?');
    expect(await me(refused.cookie)).toBeNull();
  }
  const state = new URL(url).searchParams.get('state') ?? '';
  const forged = await comeBack(`${server.origin}/login/oidc?code=made-up&state=${state}`, cookie);
  expect(await me(forged.cookie)).toBeNull();
  const mine = await begin();
  const once = await provider.signIn(mine.url, 'edith');
  expect(await me((await comeBack(once, mine.cookie)).cookie)).not.toBeNull();
  expect(await me((await comeBack(once, mine.cookie)).cookie)).toBeNull();
});

it('leads to pages of ours only, and admits no suspended user', async () => {
  const elsewhere = await enter('edith', { next: 'https://evil.example/' });
  expect(elsewhere.location).toBe(`${server.origin}/`);
  const ban = (banned: boolean) =>
    server.ask(server.people.owner, {
      method: 'PATCH',
      path: `/api/users/${server.people.editor.id}`,
      body: { banned },
    });
  await ban(true);
  const refused = await enter('edith');
  expect(refused.location).toContain('error=BANNED');
  expect(await me(refused.cookie)).toBeNull();
  await ban(false);
});

it('makes an old sign-in a fresh one, for which the provider asks again who they are', async () => {
  using maker = await openThings(server.databaseFile);
  const { cookie } = await enter('edith');
  await maker.signedInEarlier(server.people.editor.id);
  const make = (who: string) =>
    server.ask({ cookie: who }, { method: 'POST', path: '/api/keys', body: { name: 'Robot', scopes: ['chat'] } });
  expect((await make(cookie)).status).toBe(403);
  const again = await begin({ isAfresh: true, next: '/account' }, cookie);
  expect(new URL(again.url).searchParams.get('prompt')).toBe('login');
  const entered = await comeBack(await provider.signIn(again.url, 'edith'), again.cookie);
  expect(entered.location).toBe(`${server.origin}/account`);
  expect((await make(entered.cookie)).status).toBe(201);
  // The one of before has ended.
  expect(await me(cookie)).toBeNull();
});

it('no secret of the provider is stored or logged, and a missing provider is reported', async () => {
  using maker = await openThings(server.databaseFile);
  expect(await maker.storedTokens()).toEqual([]);
  const log = await server.ask(server.people.owner, { method: 'GET', path: '/api/admin/audit?limit=100' });
  expect(log.text).toContain('"method":"The club"');
  // A refusal is recorded with its cause and the address that was refused.
  expect(log.text).toContain('"cause":"email_not_verified"');
  expect(log.text).toContain('"actorName":"admin@kiln.example"');
  for (const told of [log.text, server.logs()]) expect(told).not.toContain(OIDC_CLIENT.client_secret);
  const page = await server.ask(null, { method: 'GET', path: '/login?error=signup_disabled' });
  expect(page.text).toContain('Sign in with The club');
  expect(page.text).toContain('Ask an administrator to add you');
});
