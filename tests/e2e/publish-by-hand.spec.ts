import type { Page } from '@playwright/test';
import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { deskPagePath } from '#components/workspace/navigation.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';
import { PageUnderHand } from '#tests/e2e/support/page-under-hand';

const t = translator('pageState');
const tChanges = translator('changes');
const tNow = translator('scheduled.now');
const tPreview = translator('preview');
const tPage = translator('shared.page');
const tCommand = translator('command');
const tTrash = translator('library.trash');

/** Chooses something of the page's menu, and confirms it. */
async function chooseAndConfirm(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: tPreview('more'), exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: action }).click();
  await expect(question).toHaveCount(0);
}

// Without the fixture `desk`: the browser reports the address that the server refuses.
test('an editor publishes a page after its problems, hides it, deletes it, and restores it', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const sections = [{ type: 'gallery' as const, fields: {} }];
  const { entry } = await api.createEntry('page', { title: 'Hours', slug: 'hours', sections });
  const stateOf = async () => (await api.get(paths.entry('page', entry.id))).status;
  await page.goto(`${server.url}${deskPagePath('/hours')}`);
  await new PageUnderHand(page).ready();

  await page.getByRole('button', { name: tPage('publish'), exact: true }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('The gallery section is empty.');
  await question.getByRole('button', { name: tNow('anyway') }).click();
  await expect(question).toHaveCount(0);
  await expect.poll(stateOf).toBe('published');
  await chooseAndConfirm(page, t('unpublish'));
  await expect.poll(stateOf).toBe('draft');
  await chooseAndConfirm(page, t('delete'));
  const deleted = page.locator('[data-sonner-toast][data-front=true]');
  await expect(deleted).toContainText(t('deleteDone', { title: 'Hours' }));
  await deleted.getByRole('button', { name: tChanges('undo') }).click();
  const found = async () => (await page.request.get(`${server.url}${paths.entry('page', entry.id)}`)).status();
  await expect.poll(found).toBe(200);
  await page.goto(`${server.url}${deskPagePath('/hours')}`);
  await new PageUnderHand(page).ready();
  await chooseAndConfirm(page, t('delete'));
  await expect(deleted).toContainText(t('deleteDone', { title: 'Hours' }));
  expect(await found()).toBe(404);

  // Found in the trash by what one would call it.
  await expect(new Workspace(page).composer).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder(tCommand('placeholder')).fill('trash');
  await expect(page.getByRole('option', { selected: true })).toHaveText(/trash/i);
  await page.keyboard.press('Enter');
  const trash = page.getByRole('region', { name: tTrash('kinds.entries.title') });
  const row = trash.getByRole('listitem').filter({ hasText: 'Hours' });
  const restore = row.getByRole('button', { name: tTrash('restoreLabel', { title: 'Hours' }) });
  const { entry: rival } = await api.createEntry('page', { title: 'Rival', slug: 'hours' });
  await restore.click();
  await expect(row.getByRole('alert')).toContainText('hours');
  await api.patchEntry('page', rival.id, { slug: 'rival' });
  await restore.click();
  await expect(page.getByText(tTrash('restored', { title: 'Hours' }))).toBeVisible();
  await expect(row).toHaveCount(0);
  expect((await api.get(paths.entry('page', entry.id))).draft.sections).toHaveLength(1);

  // The Tab key passes through the toast; when the toast disappears, the focus returns to its origin.
  const title = page.getByRole('heading', { name: tTrash('kinds.entries.title') });
  await expect(title).toBeFocused();
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: tTrash('restored', { title: 'Hours' }) });
  await toast.hover();
  await toast.focus();
  await page.keyboard.press('Tab');
  await expect(toast.getByRole('button', { name: tTrash('undo') })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect.poll(() => toast.evaluate((each) => each.contains(document.activeElement))).toBe(false);
  await expect(title).not.toBeFocused();
});
