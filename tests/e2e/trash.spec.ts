import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const t = translator('command');

const tLibrary = translator('library.trash');

test('a deleted page is found in the trash and brought back, unless its address is taken', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const pages = `${server.url}/api/content/pages`;
  await page.request.delete(`${pages}/commissions`);
  await page.goto(server.url);
  // Keys are heard once the page is alive, which it shows by its cursor.
  await expect(new Workspace(page).composer).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(t('placeholder')).fill('trash');
  await expect(page.getByRole('option', { selected: true })).toHaveText(/trash/i);
  await page.keyboard.press('Enter');

  await expect(page.getByRole('heading', { name: tLibrary('title'), exact: true })).toBeVisible();
  // The new address is listed below as well.
  const row = page
    .getByRole('region', { name: tLibrary('kinds.entries.title') })
    .getByRole('listitem')
    .filter({ hasText: 'Commissions' });
  await expect(row).toContainText(tLibrary('deletedBy.api'));
  const rival = (await (await page.request.post(pages, { data: { title: 'Rival', slug: 'commissions' } })).json()) as {
    entry: { id: string };
  };
  const restore = row.getByRole('button', { name: tLibrary('restoreLabel', { title: 'Commissions' }) });
  await restore.click();
  await expect(row.getByRole('alert')).toContainText('commissions');

  await page.request.patch(`${pages}/${rival.entry.id}`, { data: { slug: 'rival' } });
  await restore.click();
  await expect(page.getByText(tLibrary('restored', { title: 'Commissions' }))).toBeVisible();
  await expect(row).toHaveCount(0);
  const title = page.getByRole('heading', { name: tLibrary('kinds.entries.title') });
  await expect(title).toBeFocused();
  // The Tab key passes through the toast; when the toast disappears, the focus returns to its origin.
  const toast = page.locator('[data-sonner-toast]');
  await toast.hover();
  await toast.focus();
  await page.keyboard.press('Tab');
  await expect(toast.getByRole('button', { name: tLibrary('undo') })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect.poll(() => toast.evaluate((each) => each.contains(document.activeElement))).toBe(false);
  await expect(title).not.toBeFocused();
  expect((await page.request.get(`${pages}/commissions`)).status()).toBe(200);
});
