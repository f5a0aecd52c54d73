import { afterAll, beforeAll, expect, it } from 'vitest';
import { passwordLinkSchema, personSchema, signInsAnswer } from '#server/core/admin/people';
import {
  type AccountsServer,
  cookieOf,
  type SignedIn,
  signIn,
  startAccountsServer,
} from '#tests/support/accounts-server';
import { startMailServer } from '#tests/support/mail-server';
import { errorBody } from '#tests/support/rest-client';

/* People come in by links, which a real mail server carries; and see where they are signed in. */

const NEXT = 'a shelf of green bottles';

let mail: Awaited<ReturnType<typeof startMailServer>>;
let server: AccountsServer;

beforeAll(async () => {
  mail = await startMailServer();
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'Kiln <post@kiln.example>', TRUST_PROXY: 'on' };
  server = await startAccountsServer({ env });
});
afterAll(async () => {
  await server.stop();
  await mail[Symbol.asyncDispose]();
});

const admin = () => server.people.admin;
const post = (who: Pick<SignedIn, 'cookie'> | null, path: string, body: object = {}, headers = {}) =>
  server.ask(who, { method: 'POST', path, body, headers });
const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));

/** The link of the newest mail to a person, as their mail program shows it. */
function linkTo(email: string) {
  const text = mailsTo(email).at(-1)?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
  const [link = ''] = /http:\/\/\S+#\S+/.exec(text) ?? [];
  const { pathname, hash } = new URL(link);
  return { pathname, token: new URLSearchParams(hash.slice(1)).get('token') ?? '', text };
}

async function invite(name: string) {
  const email = `${name.toLowerCase()}@kiln.example`;
  const made = personSchema.parse((await post(admin(), '/api/users', { name, email, role: 'author' })).json());
  const link = passwordLinkSchema.parse((await post(admin(), `/api/users/${made.id}/link`)).json());
  return { ...made, link };
}

it('an invitation is mailed, sets a password once, and signs in; the log has no secret', async () => {
  const { email, isInvited, link } = await invite('Ivy');
  expect([isInvited, link.mailedTo, link.link]).toEqual([true, email, null]);
  const { pathname, token, text } = linkTo(email);
  expect(pathname).toBe('/login/new-password');
  expect(text).toContain('Ada Admin invites you');
  const choose = (password: string) => post(null, '/api/auth/new-password', { token, password });
  expect((await choose('too short')).status).toBe(400);
  expect((await choose(NEXT)).status).toBe(200);
  const cookie = await signIn(server.url, server.origin, email, NEXT);
  expect((await server.ask({ cookie }, { method: 'GET', path: '/api/auth/me' })).json()).toMatchObject({
    role: 'author',
  });
  const again = await choose('another shelf of bottles');
  expect([again.status, errorBody.parse(again.json()).error.message]).toEqual([
    403,
    expect.stringContaining('used already'),
  ]);
  const log = await server.ask(admin(), { method: 'GET', path: '/api/admin/audit?limit=50' });
  expect(log.text).toContain('"password-link-made"');
  expect(log.text).toContain('"password-link-used"');
  for (const told of [log.text, server.logs()]) expect(told).not.toContain(token);
});

it('a forgotten password gets a link by mail; unknown and suspended accounts look the same', async () => {
  const { email } = await invite('Fern');
  await post(null, '/api/auth/new-password', { token: linkTo(email).token, password: NEXT });
  const cookie = await signIn(server.url, server.origin, email, NEXT);
  const banned = await invite('Basil');
  await server.ask(admin(), { method: 'PATCH', path: `/api/users/${banned.id}`, body: { banned: true } });
  const before = mail.mails.length;
  const forget = (address: string, from: string) =>
    post(null, '/api/auth/forgotten', { email: address }, { 'x-forwarded-for': from });
  const answers = [
    await forget('nobody@kiln.example', '203.0.113.1'),
    await forget(banned.email, '203.0.113.2'),
    await forget(email.toUpperCase(), '203.0.113.3'),
  ];
  expect(answers.map(({ status, text }) => [status, text])).toEqual(answers.map(() => [204, '']));
  await expect.poll(() => mail.mails.length).toBe(before + 1);
  const { token, text } = linkTo(email);
  expect(text).toContain('Somebody, probably you');
  expect((await post(null, '/api/auth/new-password', { token, password: 'yet another shelf' })).status).toBe(200);
  expect((await server.ask({ cookie }, { method: 'GET', path: '/api/auth/me' })).status).toBe(401);
  // One address cannot fill a mailbox.
  const more = await Promise.all([5, 6, 7, 8, 9, 10].map(() => forget(email, '203.0.113.5')));
  expect(more.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 204, 204, 204, 204, 429]);
});

it('a user lists their sign-ins, ends another one, and ends all of them', async () => {
  const { email, id } = server.people.other;
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const signedIn = await post(
    null,
    '/api/auth/sign-in',
    { email, password: server.people.other.password },
    { 'user-agent': firefox, 'x-forwarded-for': '198.51.100.7' },
  );
  const here = { cookie: cookieOf(signedIn) };
  const list = async () =>
    signInsAnswer.parse((await server.ask(here, { method: 'GET', path: '/api/auth/sign-ins' })).json()).items;
  const before = await list();
  expect(before.find(({ isCurrent }) => isCurrent)).toMatchObject({ browser: firefox, address: '198.51.100.7' });
  const [theirs] = signInsAnswer.parse(
    (await server.ask(admin(), { method: 'GET', path: '/api/auth/sign-ins' })).json(),
  ).items;
  const end = (signInId: string) => server.ask(here, { method: 'DELETE', path: `/api/auth/sign-ins/${signInId}` });
  expect((await end(theirs!.id)).status).toBe(404);
  const other = before.find(({ isCurrent }) => !isCurrent);
  expect((await end(other!.id)).status).toBe(204);
  expect((await server.ask(server.people.other, { method: 'GET', path: '/api/auth/me' })).status).toBe(401);
  await signIn(server.url, server.origin, email);
  expect((await post(here, '/api/auth/sign-out', { everywhere: true })).status).toBe(204);
  expect((await server.ask(here, { method: 'GET', path: '/api/auth/me' })).status).toBe(401);
  const cookie = await signIn(server.url, server.origin, email);
  const left = signInsAnswer.parse(
    (await server.ask({ cookie }, { method: 'GET', path: '/api/auth/sign-ins' })).json(),
  );
  expect(left.items).toHaveLength(1);
  expect(id).toMatch(/^usr_/);
});
