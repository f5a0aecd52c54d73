import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const t = translator('previewLinks');
const tPages = translator('pages');
const tShared = translator('shared');

test('an editor shares a draft by a link, which opens without an account until it is revoked', async ({
  browser,
  context,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const sections = [{ type: 'text' as const, fields: { body: 'Mugs will cost nine.' } }];
  await createApiClient({ baseUrl: server.url }).createEntry('page', { title: 'Secret prices', sections });
  await page.goto(`${server.url}/library/pages`);

  // By keyboard alone.
  await page.getByRole('button', { name: tPages('menu', { title: 'Secret prices' }) }).press('Enter');
  await page.getByRole('menuitem', { name: tShared('page.share') }).press('Enter');
  const dialog = page.getByRole('dialog', { name: t('title', { title: 'Secret prices' }) });
  await expect(dialog).toContainText(t('none'));
  await dialog.getByRole('radio', { name: t('count', { days: 7 }) }).press('ArrowLeft');
  await expect(dialog.getByRole('radio', { name: t('count', { days: 1 }) })).toBeChecked();
  await dialog.getByRole('button', { name: t('create') }).press('Enter');
  await expect(dialog.getByRole('listitem')).toHaveCount(1);
  await dialog.getByRole('button', { name: t('copy') }).press('Enter');
  await expect(dialog.getByText(tShared('common.copied'))).toHaveCount(1);
  const url = await page.evaluate(() => navigator.clipboard.readText());
  expect(url).toBe(await dialog.getByLabel(t('address')).inputValue());

  const stranger = await browser.newContext();
  const shown = await stranger.newPage();
  const failures: string[] = [];
  shown.on('requestfailed', (request) => failures.push(request.url()));
  shown.on('console', (message) => failures.push(message.text()));
  await shown.goto(url);
  await expect(shown.getByRole('heading', { level: 1, name: 'Secret prices' })).toBeVisible();
  await expect(shown.getByText('Mugs will cost nine.', { exact: true })).toBeVisible();
  await expect(shown.getByRole('note')).toBeVisible();
  // The style sheet and the fonts are loaded.
  expect(await shown.evaluate(() => getComputedStyle(document.querySelector('.site-badge')!).position)).toBe('fixed');
  expect(await shown.evaluate(() => [...document.fonts].some(({ status }) => status === 'loaded'))).toBe(true);
  expect(failures).toEqual([]);
  expect(await stranger.cookies()).toEqual([]);

  // A comment needs no script, no session and no account.
  await shown.getByLabel('Comment', { exact: true }).fill('Say <b>ten</b>: https://a.example');
  await shown.getByRole('button', { name: 'Send comment' }).press('Enter');
  await expect(shown.getByText('Thank you. Your comment was sent.')).toBeVisible();

  await dialog.getByRole('button', { name: t('revoke') }).press('Enter');
  await expect(dialog).toContainText(t('none'));
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('button', { name: tPages('menu', { title: 'Secret prices' }) })).toBeFocused();
  expect((await shown.reload())?.status()).toBe(404);
  await expect(shown.getByRole('heading', { name: 'This preview link does not work' })).toBeVisible();
  await stranger.close();

  await page.getByRole('button', { name: tPages('menu', { title: 'Secret prices' }) }).press('Enter');
  await page.getByRole('menuitem', { name: tShared('page.share') }).press('Enter');
  await expect(dialog.getByText('Say <b>ten</b>: https://a.example')).toBeVisible();
  await expect(dialog.getByRole('link')).toHaveCount(0);
  await dialog.getByRole('button', { name: /as done/ }).press('Enter');
  await expect(dialog.getByText(t('comments.done'), { exact: true })).toBeVisible();
  await dialog.getByRole('button', { name: /^Delete the comment/ }).press('Enter');
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: t('comments.delete') })
    .press('Enter');
  await expect(dialog).toContainText(t('comments.none'));
});
