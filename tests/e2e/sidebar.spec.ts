import { translator } from '#components/i18n.ts';
import { createApiClient } from '#components/api/api-client.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { escapeFrom, tabTo } from '#tests/e2e/support/waits';

const t = translator('sidebar');

test('a conversation found by search is renamed and, after a confirmation, deleted by keyboard', async ({
  desk,
  page,
  server,
}) => {
  const api = createApiClient({ baseUrl: server.url });
  await api.createSession({ title: 'Talk about handles' });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto('/');
  const group = desk.sidebar.getByRole('region', { name: t('groups.today') });
  await expect(group.getByRole('link', { name: /Talk about handles/ })).toBeVisible();

  await desk.sidebar.getByRole('searchbox').fill('handles');
  await expect(desk.sidebar.getByRole('listitem').getByRole('link')).toHaveText([/Talk about handles/]);
  await tabTo(page, t('actions', { title: 'Talk about handles' }));
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: t('rename') }).press('Enter');
  await expect(page.getByRole('textbox', { name: t('renameLabel') })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Talk about mug handles');
  await page.keyboard.press('Enter');
  await expect(desk.sidebar.getByRole('link', { name: /Talk about mug handles/ })).toBeFocused();

  await desk.sidebar.getByRole('button', { name: t('actions', { title: 'Talk about mug handles' }) }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: t('remove') }).press('Enter');
  const dialog = page.getByRole('alertdialog', { name: t('removeTitle') });
  await escapeFrom(dialog);
  await expect(desk.sidebar.getByRole('link', { name: /mug handles/ })).toBeVisible();
  await expect(desk.sidebar.getByRole('button', { name: /Talk about mug handles/ })).toBeFocused();

  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: t('remove') }).press('Enter');
  await dialog.getByRole('button', { name: t('remove') }).press('Enter');
  await expect(page.getByText(t('removed'))).toBeVisible();
  await expect(desk.sidebar.getByText(t('noMatch', { query: 'handles' }))).toBeVisible();
});
