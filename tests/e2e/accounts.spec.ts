import { createHash, randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { z } from 'zod';
import { translator } from '#components/i18n.ts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { holdRequests } from '#tests/e2e/support/waits';
import { takeCookie } from '#tests/e2e/support/other-hands';
import {
  type AccountsServer,
  PASSWORD,
  signIn,
  type SignedIn,
  startAccountsServer,
} from '#tests/support/accounts-server';
import { authenticatorApp } from '#tests/support/authenticator-app';
import { type ThingMaker, openThings } from '#tests/support/editors-things';
import { freePort } from '#tests/support/free-port';
import { startLoopback } from '#tests/support/loopback-server';

const t = translator('approval');
const tAccess = translator('access');
const tApiKeys = translator('apiKeys');
const tCalls = translator('calls');
const tImport = translator('import');
const tLibrary = translator('library');
const tShared = translator('shared');

let server: AccountsServer;
let database: ThingMaker;

test.beforeAll(async () => {
  // Passkeys belong to names, not to numbers.
  const port = await freePort();
  const env = { PUBLIC_URL: `http://localhost:${port}`, OFFLINE_CHUNK_DELAY_MS: '0' };
  server = await startAccountsServer({ port, seed: true, env });
  database = await openThings(server.databaseFile);
});
test.afterAll(async () => {
  database[Symbol.dispose]();
  await server.stop();
});

const enter = async (page: Page, { email }: SignedIn) =>
  takeCookie(page.context(), await signIn(server.url, server.origin, email), server.origin);
const fieldOf = (page: Page, label: string) => page.getByLabel(label, { exact: true });

test('an author is invited, requests a change, becomes editor, and signs out everywhere', async ({
  page,
  openOther,
}) => {
  const { owner, editor } = server.people;
  await enter(page, owner);
  await page.goto(`${server.origin}/admin/settings/people`);
  // Without a mail server, the link is handed over.
  await page.getByRole('button', { name: tAccess('people.add') }).click();
  await fieldOf(page, tAccess('people.form.name')).fill('Ivy');
  await fieldOf(page, tAccess('people.form.email')).fill('ivy@kiln.example');
  await page
    .getByRole('dialog')
    .getByRole('radio', { name: tAccess('account.roles.author') })
    .click();
  await page.getByRole('button', { name: tAccess('people.form.save'), exact: true }).click();
  const handed = page.getByRole('dialog', { name: tAccess('people.linkTitle', { name: 'Ivy' }) });
  const link = await fieldOf(page, tAccess('people.linkField')).inputValue();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  await handed.getByRole('button', { name: tAccess('people.linkDone') }).click();
  const ivy = page.getByRole('article', { name: 'Ivy' });
  await expect(ivy).toContainText(tAccess('people.invited'));

  const author = await openOther();
  await author.page.goto(link);
  await expect(fieldOf(author.page, tAccess('login.email'))).toHaveValue('ivy@kiln.example');
  await fieldOf(author.page, tAccess('login.password')).fill(PASSWORD);
  await author.page.getByRole('button', { name: tAccess('choose.submit') }).click();
  await expect(author.sidebar.getByRole('button', { name: tAccess('account.open', { name: 'Ivy' }) })).toBeVisible();

  // A change that visitors would see waits for an approver, which its card states.
  await author.send('publish Winter seconds sale');
  await expect(author.approval).toContainText(t('editorial'));
  await expect(author.approval.getByRole('button', { name: t('withdraw') })).toBeVisible();
  await expect(author.approval.locator('[data-decision="approve"]')).toHaveCount(0);
  const other = await openOther();
  await enter(other.page, editor);
  await other.page.goto(server.origin);
  await other.sidebar.getByRole('link', { name: tShared('waitingCalls', { count: 1 }) }).click();
  const waiting = other.page.getByRole('region', { name: tCalls('title') });
  await expect(waiting).toContainText(tCalls('authorAsks', { name: 'Ivy' }));
  await waiting.locator('[data-decision="approve"]').click();
  await expect(waiting.getByRole('paragraph').getByText(tCalls('empty'))).toBeVisible();
  await author.untilIdle();
  const published = async () => (await page.request.get(`${server.url}/site/winter-seconds-sale`)).status();
  await expect.poll(published).toBe(200);

  // Nothing is offered that would be refused.
  await author.page.goto(`${server.origin}/library/trash`);
  await expect(author.page.getByRole('heading', { name: tLibrary('trash.title') })).toBeVisible();
  await expect(author.page.getByRole('link', { name: tImport('tab') })).toHaveCount(0);

  // With a sign-in of hours ago, no role changes before it is repeated.
  await database.signedInEarlier(owner.id);
  await ivy.getByRole('button', { name: tAccess('account.roles.editor') }).click();
  const dialog = page.getByRole('dialog', { name: tAccess('again.title') });
  await expect(dialog).toBeVisible();
  await expectAccessibleOnPhone(page);
  await fieldOf(page, tAccess('login.password')).fill(PASSWORD);
  await dialog.getByRole('button', { name: tAccess('login.submit'), exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(ivy.getByRole('button', { name: tAccess('account.roles.editor'), pressed: true })).toBeVisible();
  await author.page.reload();
  await expect(author.page.getByRole('link', { name: tImport('tab') })).toBeVisible();

  const elsewhere = await signIn(server.url, server.origin, 'ivy@kiln.example');
  await author.page.goto(`${server.origin}/account`);
  const signIns = author.page.getByRole('region', { name: tAccess('signIns.title') });
  await expect(signIns.getByRole('article')).toHaveCount(2);
  await signIns.getByRole('button', { name: tAccess('signIns.everywhere') }).click();
  const everywhere = author.page.getByRole('alertdialog');
  await everywhere.getByRole('button', { name: tAccess('signIns.everywhere') }).click();
  await expect(author.page).toHaveURL(`${server.origin}/login`);
  const asked = await server.ask({ cookie: elsewhere }, { method: 'GET', path: '/api/auth/me' });
  expect(asked.status).toBe(401);

  // By keyboard, the next Enter changes no role.
  const question = page.getByRole('alertdialog');
  await ivy.getByRole('button', { name: tAccess('people.removeOf', { name: 'Ivy' }) }).press('Enter');
  await question.getByRole('button', { name: tAccess('people.remove') }).press('Enter');
  await expect(ivy).toHaveCount(0);
  await expect(page.locator(':focus')).toHaveText(tAccess('people.edit'));
});

// Without the fixture `desk`: the browser reports the page that is refused.
test('an administrator changes roles quickly, and confirms before giving up their own rights', async ({ page }) => {
  await enter(page, server.people.admin);
  await page.route('**/api/auth/me', (route) => route.fulfill({ status: 500, json: {} }));
  await page.goto(`${server.origin}/admin/settings/people`);
  // What is typed before it is known who looks stays when that comes, and the people with it.
  const address = page.getByRole('textbox', { name: tAccess('personalData.email') });
  await address.fill('ivy@kiln.example');
  await page.unroute('**/api/auth/me');
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page.getByRole('article', { name: 'Otto Other' })).toBeVisible();
  await expect(address).toHaveValue('ivy@kiln.example');

  const role = (person: string, name: 'author' | 'editor' | 'admin') =>
    page.getByRole('article', { name: person }).getByRole('button', { name: tAccess(`account.roles.${name}`) });
  // A second choice during the first request is applied too, and the last choice wins.
  const gate = await holdRequests(page, '**/api/users/*');
  await role('Otto Other', 'author').click();
  await expect(role('Otto Other', 'author')).toHaveAttribute('aria-pressed', 'true');
  await role('Otto Other', 'editor').click();
  gate.open();
  // The toast stays while the pointer is over it.
  await page
    .getByText(tAccess('people.roleSaved', { name: 'Otto Other', role: tAccess('account.roles.editor') }))
    .hover();
  await expect(role('Otto Other', 'editor')).toHaveAttribute('aria-pressed', 'true');
  // Undo restores the previous role.
  await page.getByRole('button', { name: tAccess('people.undo'), exact: true }).click();
  await expect(role('Otto Other', 'author')).toHaveAttribute('aria-pressed', 'true');

  const question = page.getByRole('alertdialog', { name: tAccess('people.ownRole.title') });
  await role('Ada Admin', 'editor').click();
  await question.getByRole('button', { name: tShared('common.cancel') }).click();
  await expect(role('Ada Admin', 'admin')).toHaveAttribute('aria-pressed', 'true');
  await role('Ada Admin', 'editor').click();
  await question.getByRole('button', { name: tAccess('people.ownRole.confirm') }).click();
  const gone = page.getByRole('alertdialog', { name: tAccess('people.rightsGone.title') });
  await gone.getByRole('button', { name: tAccess('people.rightsGone.go') }).click();
  await expect(page).toHaveURL(`${server.origin}/`);
  await page.goto(`${server.origin}/admin/settings`);
  await expect(page.getByRole('heading', { name: tAccess('forbidden.title') })).toBeVisible();
});

/** A device of Chromium's own that keeps passkeys and asks for a finger. */
async function withDevice(page: Page) {
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    /** The finger is known, or not. */
    setKnown: (isUserVerified: boolean) =>
      devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

test('a passkey and an authenticator app are set up, requested, used and removed', async ({ page }) => {
  const { origin, people } = server;
  await enter(page, people.author);
  const device = await withDevice(page);
  const field = (label: string) => fieldOf(page, label);
  const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click();
  const signOut = async () => {
    await page.getByRole('button', { name: tAccess('account.open', { name: 'Arthur Author' }) }).click();
    await page.getByRole('menuitem', { name: tAccess('account.signOut') }).click();
    await page.waitForURL(/\/login/);
    await expect(page.getByRole('heading', { name: tAccess('login.title') })).toBeVisible();
    await page.goto(`${origin}/login?next=%2Faccount`);
  };
  const withPassword = async () => {
    await field(tAccess('login.email')).fill(people.author.email);
    await field(tAccess('login.password')).fill(PASSWORD);
    await press(tAccess('login.submit'));
    await expect(page.getByRole('heading', { name: tAccess('login.codeTitle') })).toBeVisible();
  };

  await page.goto(`${origin}/account`);
  await press(tAccess('factors.addPasskey'));
  await field(tAccess('factors.passkeyName')).fill('Laptop');
  await expectAccessible(page);
  await press(tAccess('factors.next'));
  const passkeys = page.getByRole('region', { name: tAccess('factors.passkeys') });
  await expect(passkeys.getByText('Laptop')).toBeVisible();
  await press(tAccess('factors.turnOn'));
  await field(tAccess('factors.password')).fill(PASSWORD);
  await press(tAccess('factors.next'));
  await expect(page.getByRole('img', { name: tAccess('factors.picture') })).toBeVisible();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  const app = authenticatorApp((await field(tAccess('factors.key')).textContent()) ?? '');
  const [recovery = ''] = ((await field(tAccess('factors.recoveryTitle')).textContent()) ?? '').split(' ');
  await field(tAccess('login.code')).fill('000000');
  await press(tAccess('factors.confirm'));
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
  await field(tAccess('login.code')).fill(app.code());
  await press(tAccess('factors.confirm'));
  await expect(page.getByText(tAccess('factors.totpOn'))).toBeVisible();

  // A password alone does not sign in.
  await signOut();
  await withPassword();
  await expectAccessible(page);
  await page.goto(`${origin}/account`);
  await expect(page.getByRole('heading', { name: tAccess('login.title') })).toBeVisible();
  await withPassword();
  // The one that confirmed the app is used up.
  await field(tAccess('login.code')).fill(app.code(1));
  await press(tAccess('login.submit'));
  await expect(page).toHaveURL(`${origin}/account`);
  await signOut();
  await withPassword();
  await press(tAccess('login.toRecovery'));
  await field(tAccess('login.recovery')).fill(recovery);
  await press(tAccess('login.submit'));
  await expect(page).toHaveURL(`${origin}/account`);

  // The device stands for both, if it knows the finger.
  await signOut();
  await device.setKnown(false);
  await press(tAccess('login.passkey'));
  // Next has a separate, empty alert.
  await expect(page.getByRole('alert').filter({ hasText: tAccess('factors.passkeyStopped') })).toBeVisible();
  await device.setKnown(true);
  await press(tAccess('login.passkey'));
  await expect(page).toHaveURL(`${origin}/account`);
  await database.signedInEarlier(people.author.id);
  await press(tAccess('factors.removeOf', { name: 'Laptop' }));
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tAccess('factors.remove'), exact: true })
    .click();
  const again = page.getByRole('dialog', { name: tAccess('again.title') });
  await again.getByRole('button', { name: tAccess('login.passkey'), exact: true }).click();
  await expect(passkeys.getByText(tAccess('factors.none'))).toBeVisible();
  await press(tAccess('factors.turnOff'));
  await field(tAccess('factors.password')).fill(PASSWORD);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: tAccess('factors.turnOff'), exact: true })
    .click();
  await expect(page.getByText(tAccess('factors.totpOff'))).toBeVisible();
});

const registered = z.object({ client_id: z.string() });
const issued = z.object({ access_token: z.string(), scope: z.string() });

test('a program is connected by its address, with the keyboard, and disconnected in the account', async ({ page }) => {
  await using program = await startLoopback((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Program</title><p>Connected.</p>');
  });
  const redirect_uri = `${program.url}/back`;
  const metadata = { client_name: 'Desktop assistant', redirect_uris: ['http://127.0.0.1/back'] };
  const made = await page.request.post(`${server.origin}/oauth/register`, { data: metadata });
  const { client_id } = registered.parse(await made.json());
  const verifier = randomBytes(32).toString('base64url');
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri,
    state: 'of the program',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${server.origin}/mcp`,
  };
  const address = `${server.origin}/oauth/authorize?${new URLSearchParams(query).toString()}`;

  await page.goto(address);
  await fieldOf(page, tAccess('login.email')).fill(server.people.editor.email);
  await fieldOf(page, tAccess('login.password')).fill(PASSWORD);
  await page.getByRole('button', { name: tAccess('login.submit'), exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Desktop assistant' })).toBeVisible();
  await expect(page.getByText(tAccess('consent.unverified'))).toBeVisible();
  await expect(page.getByText(redirect_uri)).toBeVisible();
  await expect(page.getByRole('checkbox', { name: tAccess('consent.offer') })).not.toBeChecked();
  const allow = page.getByRole('button', { name: tAccess('consent.allow'), exact: true });
  await expect(allow).toBeEnabled();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  await allow.press('Enter');
  await expect(page.getByText('Connected.')).toBeVisible();
  const back = new URL(page.url());
  expect(`${back.origin}${back.pathname}`).toBe(redirect_uri);
  expect(back.searchParams.get('state')).toBe('of the program');
  expect(back.searchParams.get('iss')).toBe(server.origin);
  const form = {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri,
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
  };
  const answer = await page.request.post(`${server.origin}/oauth/token`, { form });
  const { access_token, scope } = issued.parse(await answer.json());
  expect(scope).toBe('content:read content:draft');
  const call = () =>
    page.request.post(`${server.origin}/mcp`, {
      headers: { authorization: `Bearer ${access_token}`, accept: 'application/json, text/event-stream' },
      data: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  expect((await call()).status()).toBe(200);

  await page.goto(`${server.origin}/account`);
  const row = page.getByRole('article', { name: 'Desktop assistant' });
  await expect(row).toContainText(tApiKeys('connected'));
  await row.getByRole('button', { name: tApiKeys('revokeOf', { name: 'Desktop assistant' }) }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tApiKeys('revoke'), exact: true })
    .click();
  await expect(row).toHaveCount(0);
  expect((await call()).status()).toBe(401);
});
