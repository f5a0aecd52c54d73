import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Services } from '#server/services';
import { callRoute, serve, stopServing } from '#tests/support/routes';
import { startMailServer } from '#tests/support/mail-server';
import { startTestServices } from '#tests/support/test-services';

/* Strangers who try passwords of an account cannot keep its owner out. */

const ORIGIN = 'http://localhost';
const PASSWORD = 'a kiln full of saltmarsh mugs';
const OFFICE = '203.0.113.5';

let mail: Awaited<ReturnType<typeof startMailServer>>;
let all: Services;
let count = 0;
let email: string;

beforeAll(async () => {
  mail = await startMailServer();
  all = await serve(
    startTestServices({
      AUTH_MODE: 'accounts',
      AUTH_SECRET: 'only-for-tests-0123456789abcdefghijklmnop',
      PUBLIC_URL: ORIGIN,
      SMTP_URL: mail.url,
      MAIL_FROM: 'Kiln <post@kiln.example>',
    }),
  );
  await all.accounts!.people.create({
    name: 'Ada',
    email: 'ada@kiln.example',
    password: PASSWORD,
    role: 'admin',
  });
});
afterAll(async () => {
  await stopServing();
  await mail[Symbol.asyncDispose]();
});

beforeEach(async () => {
  email = `edith${++count}@kiln.example`;
  await all.accounts!.people.create({ name: 'Edith', email, password: PASSWORD, role: 'editor' });
});

const post = (path: string, body: object, address = OFFICE, cookie?: string) =>
  callRoute('POST', `/api/auth/${path}`, {
    body,
    headers: { origin: ORIGIN, 'x-throughline-client': address, ...(cookie !== undefined && { cookie }) },
  });
const signIn = (password: string, address?: string, cookie?: string) =>
  post('sign-in', { email, password }, address, cookie);

/** The cookies that a browser keeps, by the start of their name. */
function cookiesOf(response: Response, start = ''): string {
  const set = response.headers.getSetCookie().map((each) => each.split(';')[0] ?? '');
  return set.filter((each) => each.startsWith(start)).join('; ');
}

/** Uses up the account's bound as a hundred wrong passwords from ten addresses do, without hashing each. */
async function lockAccount(): Promise<void> {
  for (let tried = 0; tried < 100; tried++)
    await all.limits.attempts.take({ email, address: `198.51.${count}.${tried % 10}` });
  expect((await signIn(PASSWORD, '203.0.113.99')).status).toBe(429);
}

/** The secret of the newest link in the mailbox. */
async function newestLink(mails: number): Promise<string> {
  const mine = () => mail.mails.filter(({ to }) => to.includes(email));
  await expect.poll(() => mine().length).toBe(mails);
  const text = mine().at(-1)!.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  return /#token=([\w-]+)/.exec(text)?.[1] ?? expect.fail(text);
}

it('ten wrong passwords block the account for that address only, and are audited without them', async () => {
  for (let tried = 0; tried < 10; tried++) expect((await signIn('not the right words')).status).toBe(401);
  const blocked = await signIn(PASSWORD);
  expect(blocked.status).toBe(429);
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await signIn(PASSWORD, '203.0.113.6')).status).toBe(200);
  const { items } = await all.audit.list({ action: 'sign-in-failed' });
  const mine = items.filter(({ actorName }) => actorName === email);
  expect(mine).toMatchObject(Array.from({ length: 10 }, () => ({ userId: null })));
  expect(JSON.stringify(items)).not.toContain('not the right words');
});

it('a browser with a device cookie signs in to an account that strangers have blocked', async () => {
  const device = cookiesOf(await signIn(PASSWORD), 'throughline.device_');
  await lockAccount();
  expect((await signIn(PASSWORD, OFFICE, device)).status).toBe(200);
  const forged = device.replace(/=.*/, '=AAAAAAAAAAAAAAAAAAAAAA.AAAA');
  expect((await signIn(PASSWORD, OFFICE, forged)).status).toBe(429);
});

it('a device cookie is good for its own account only, and ends nothing but the bound', async () => {
  const device = cookiesOf(await signIn(PASSWORD), 'throughline.device_');
  const former = email;
  email = 'ada@kiln.example';
  await lockAccount();
  expect((await signIn(PASSWORD, OFFICE, device)).status).toBe(429);
  email = former;
  for (let tried = 0; tried < 10; tried++) expect((await signIn('wrong words', OFFICE, device)).status).toBe(401);
  expect((await signIn(PASSWORD, '203.0.113.6', device)).status).toBe(429);
});

it('a person who is signed in changes the password of a blocked account, and signs in again', async () => {
  const cookie = cookiesOf(await signIn(PASSWORD), 'throughline.session_token');
  await lockAccount();
  const changed = await callRoute('PATCH', '/api/auth/me', {
    body: { password: { current: PASSWORD, next: 'a shelf of green bottles' } },
    headers: { origin: ORIGIN, cookie, 'x-throughline-client': '203.0.113.99' },
  });
  expect(changed.status, await changed.text()).toBe(200);
  expect((await signIn('a shelf of green bottles', OFFICE, cookie)).status).toBe(200);
});

it('a browser signed in before device cookies existed becomes known at its next request', async () => {
  const session = cookiesOf(await signIn(PASSWORD), 'throughline.session_token');
  const me = await callRoute('GET', '/api/auth/me', { headers: { origin: ORIGIN, cookie: session } });
  const device = cookiesOf(me, 'throughline.device_');
  await lockAccount();
  expect((await signIn(PASSWORD, OFFICE, device)).status).toBe(200);
});

it('a reset link works for a blocked account, and so does the sign-in after it', async () => {
  await lockAccount();
  expect((await post('forgotten', { email })).status).toBe(204);
  const token = await newestLink(1);
  const chosen = await post('new-password', { token, password: 'a shelf of green bottles' });
  expect(chosen.status, await chosen.text()).toBe(200);
  const known = cookiesOf(chosen, 'throughline.device_');
  expect((await signIn('a shelf of green bottles', OFFICE, known)).status).toBe(200);
  // The count restarted, so a browser without cookies signs in, too.
  expect((await signIn('a shelf of green bottles', '203.0.113.6')).status).toBe(200);
});

it('strangers who request links use up no quota of the owner and no earlier link', async () => {
  const invited = `ivy${count}@kiln.example`;
  const { id } = await all.accounts!.people.create({ name: 'Ivy', email: invited, role: 'author' });
  const invitation = (await all.accounts!.people.makePasswordToken(id)).token.token;
  await post('forgotten', { email });
  const first = await newestLink(1);
  for (let at = 0; at < 4; at++)
    for (let asked = 0; asked < 7; asked++) {
      await post('forgotten', { email }, `198.51.100.${at}`);
      await post('forgotten', { email: invited }, `198.51.100.${at}`);
    }
  expect((await post('forgotten', { email })).status).toBe(204);
  const own = await newestLink(1 + 4 * 5 + 1);
  expect((await post('new-password', { token: first, password: 'a shelf of green bottles' })).status).toBe(200);
  // Choosing a password ends all links of the account.
  expect((await post('new-password', { token: own, password: 'a shelf of blue bottles' })).status).toBe(403);
  expect((await post('new-password', { token: invitation, password: 'a shelf of green bottles' })).status).toBe(200);
});
