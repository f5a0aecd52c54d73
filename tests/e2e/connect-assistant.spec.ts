import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { translator } from '#components/i18n.ts';
import { expectAccessible, expectAccessibleOnPhone } from '#tests/e2e/support/accessible';
import { expect, test } from '#tests/e2e/support/desk-test';
import { PASSWORD, startAccountsServer } from '#tests/support/accounts-server';
import { startLoopback } from '#tests/support/loopback-server';

const t = translator('access');
const tApiKeys = translator('apiKeys');

const registered = z.object({ client_id: z.string() });
const issued = z.object({ access_token: z.string(), scope: z.string() });

test('a program is connected by its address, with the keyboard, and disconnected in the account', async ({ page }) => {
  await using server = await startAccountsServer({ seed: true, env: { OFFLINE_CHUNK_DELAY_MS: '0' } });
  await using program = await startLoopback((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Program</title><p>Connected.</p>');
  });
  const redirect_uri = `${program.url}/back`;
  const metadata = { client_name: 'Desktop assistant', redirect_uris: ['http://127.0.0.1/back'] };
  const made = await page.request.post(`${server.url}/oauth/register`, { data: metadata });
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
  const address = `${server.url}/oauth/authorize?${new URLSearchParams(query).toString()}`;

  await page.goto(address);
  await page.getByLabel(t('login.email'), { exact: true }).fill(server.people.editor.email);
  await page.getByLabel(t('login.password'), { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: t('login.submit'), exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Desktop assistant' })).toBeVisible();
  await expect(page.getByText(t('consent.unverified'))).toBeVisible();
  await expect(page.getByText(redirect_uri)).toBeVisible();
  await expect(page.getByRole('checkbox', { name: t('consent.offer') })).not.toBeChecked();
  await expect(page.getByRole('button', { name: t('consent.allow'), exact: true })).toBeEnabled();
  await expectAccessible(page);
  await expectAccessibleOnPhone(page);
  const shown = await page.request.get(address);
  expect(shown.headers()['content-security-policy']).toContain("frame-ancestors 'none'");

  // An address that the program did not register is not reached, not even with an error.
  const elsewhere = new URLSearchParams({ ...query, redirect_uri: `${program.url}/other` });
  await page.goto(`${server.url}/oauth/authorize?${elsewhere.toString()}`);
  await expect(page.getByRole('heading', { name: t('consent.refusedTitle') })).toBeVisible();
  await expect(page.getByRole('link')).toHaveCount(0);

  await page.goto(address);
  const allow = page.getByRole('button', { name: t('consent.allow'), exact: true });
  await expect(allow).toBeEnabled();
  await allow.focus();
  await page.keyboard.press('Enter');
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
  const answer = await page.request.post(`${server.url}/oauth/token`, { form });
  const { access_token, scope } = issued.parse(await answer.json());
  expect(scope).toBe('content:read content:draft');
  const call = () =>
    page.request.post(`${server.url}/mcp`, {
      headers: { authorization: `Bearer ${access_token}`, accept: 'application/json, text/event-stream' },
      data: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    });
  expect((await call()).status()).toBe(200);

  await page.goto(`${server.url}/account`);
  const row = page.getByRole('article', { name: 'Desktop assistant' });
  await expect(row).toContainText(tApiKeys('connected'));
  await row.getByRole('button', { name: tApiKeys('revokeOf', { name: 'Desktop assistant' }) }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tApiKeys('revoke'), exact: true })
    .click();
  await expect(row).toHaveCount(0);
  const refused = await call();
  expect(refused.status()).toBe(401);
  expect(refused.headers()['www-authenticate']).toContain('resource_metadata=');
});
