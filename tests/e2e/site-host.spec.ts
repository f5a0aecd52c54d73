import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { siteStrings } from '#components/content/text/words.ts';
import { importStrings, libraryStrings, linkStrings } from '#components/library/words.ts';
import { projectPath } from '#scripts/lib/project';
import { expect, test } from '#tests/e2e/support/desk-test';
import { takeCookie } from '#tests/e2e/support/other-hands';
import { startAccountsServer } from '#tests/support/accounts-server';
import { startFileServer } from '#tests/support/file-server';
import { freePort } from '#tests/support/free-port';

const old = libraryStrings.trash.redirects;
const { files } = importStrings;

/** Notes what a page could not load. */
function failuresOf(page: Page): string[] {
  const failures: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400 && response.request().resourceType() !== 'document') failures.push(response.url());
  });
  // A visitor who goes on does not wait for the pictures of the page before: those requests are aborted, and did not fail.
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') failures.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('the server responded')) failures.push(message.text());
  });
  return failures;
}

/** Goes through the site as a visitor does who runs no scripts. */
async function visit(page: Page, address: string): Promise<void> {
  const failures = failuresOf(page);
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Pots with a bit of the river in them');
  await page.getByRole('navigation').getByText('Workshops', { exact: true }).click();
  await page.getByRole('link', { name: 'All workshops' }).click();
  await expect(page).toHaveURL(/\/workshops\/?$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Journal' }).click();
  await page.getByRole('main').getByRole('link').first().click();
  await expect(page).toHaveURL(/\/blog\/[a-z-]+\/?$/);
  await expect(page.getByRole('article')).toBeVisible();
  expect(failures).toEqual([]);
}

test('the site has a host of its own, its old addresses lead on, and as files it is the same on a plain server', async ({
  browser,
}) => {
  const port = await freePort();
  const site = `http://kiln.localhost:${port}`;
  await using server = await startAccountsServer({ port, seed: true, env: { SITE_URL: site } });
  await using visiting = await browser.newContext({ javaScriptEnabled: false });
  const visitor = await visiting.newPage();
  await visit(visitor, `${site}/`);

  await using editing = await browser.newContext();
  const { cookie } = server.people.editor;
  await takeCookie(editing, cookie, server.url);
  const editor = await editing.newPage();
  const api = (method: string, path: string, body?: object) =>
    server.ask(server.people.editor, { method, path: `/api/content${path}`, ...(body && { body }) });
  await api('DELETE', '/pages/commissions');
  expect((await visitor.goto(`${site}/commissions`))?.status()).toBe(410);
  await expect(visitor.getByRole('heading', { name: siteStrings.gone.heading })).toBeVisible();

  // As files it is not whole: the menu leads to the page that is gone.
  await editor.goto(`${server.url}/library/import`);
  await expect(editor.getByLabel(files.url)).toHaveValue(site);
  await editor.getByRole('button', { name: files.download }).click();
  await expect(editor.getByText('the link /commissions leads nowhere').first()).toBeVisible();
  const folder = mkdtempSync(join(tmpdir(), 'throughline-files-'));
  const env = { ...process.env, DATABASE_URL: `file:${server.databaseFile}` };
  const exportSite = () =>
    execFileSync(process.execPath, ['scripts/export-site.ts', folder, '--url', 'https://kiln.example'], {
      cwd: projectPath('.'),
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(exportSite).toThrow(/"Home" \(\/\): the link \/commissions leads nowhere/);

  await editor.goto(`${server.url}/library/trash`);
  await editor.getByRole('button', { name: old.editLabel('/commissions') }).click();
  const dialog = editor.getByRole('dialog');
  await dialog.getByRole('button', { name: linkStrings.pick }).click();
  await editor.getByRole('button', { name: /^Contact/ }).click();
  await dialog.getByRole('button', { name: old.save, exact: true }).click();
  await expect(dialog).toBeHidden();
  const addresses = editor.getByRole('region', { name: old.title });
  await expect(addresses.getByRole('listitem').filter({ hasText: '/commissions' })).toContainText(old.chosen);
  await visitor.goto(`${site}/commissions?from=flyer`);
  await expect(visitor).toHaveURL(`${site}/contact?from=flyer`);

  const missing = await api('POST', '/pages', {
    title: '404',
    sections: [{ type: 'hero', fields: { heading: 'Nothing fired here yet' } }],
  });
  await api('POST', `/pages/${(missing.json() as { entry: { id: string } }).entry.id}/publish`);
  expect((await visitor.goto(`${site}/nowhere`))?.status()).toBe(404);
  await expect(visitor.getByRole('heading', { name: 'Nothing fired here yet' })).toBeVisible();
  // What is of the app is at no address of it, whoever asks.
  await takeCookie(editing, cookie, site);
  expect((await editor.goto(`${site}/library`))?.status()).toBe(404);

  await editor.goto(`${server.url}/library/import`);
  const [download] = await Promise.all([
    editor.waitForEvent('download'),
    editor.getByRole('button', { name: files.download }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Tidewrack Pottery.zip');
  await expect(editor.getByText(/^\d+ pages without a broken link/)).toBeVisible();

  expect(exportSite()).toMatch(/^Saved \d+ pages as \d+ files/);
  await using plain = await startFileServer(folder);
  await visit(visitor, `${plain.url}/`);
  await visitor.goto(`${plain.url}/commissions`);
  await expect(visitor).toHaveURL(`${plain.url}/contact`);
  await expect(visitor.locator('link[rel=canonical]')).toHaveAttribute('href', 'https://kiln.example/contact');
  expect((await visitor.goto(`${plain.url}/nowhere`))?.status()).toBe(404);
  await expect(visitor.getByRole('heading', { name: 'Nothing fired here yet' })).toBeVisible();
  rmSync(folder, { recursive: true });
});
