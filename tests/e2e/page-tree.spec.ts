import { createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { think } from '#tests/e2e/support/scripted-model';
import { expect, test } from '#tests/e2e/support/desk-test';

const t = translator('pages');
const tMoving = translator('pages.batch.placing');
const tChanges = translator('changes');

/** More than a level shows at first. */
const COUNT = 35;

test('an editor opens pages in the tree by keyboard, selects in it, and moves a page', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  const make = async (title: string, parent?: string) =>
    (await api.createEntry('page', { title, ...(parent !== undefined && { parent }) })).entry.id;
  const kilns = await make('Kilns');
  const barns = await make('Barns');
  const first = await make('Kiln 01', kilns);
  for (let number = 2; number <= COUNT; number += 1) await make(`Kiln ${String(number).padStart(2, '0')}`, kilns);
  const door = await make('Door of the kiln', first);

  await page.goto(`${server.url}/library/pages`);
  const list = page.getByRole('region', { name: t('types.page.title') });
  const row = (title: string) => list.getByRole('checkbox', { name: t('selection.select', { title }) });
  // The rows come with the scripts that listen for keys.
  await expect(row('Door of the kiln')).toBeVisible();
  const choice = list.getByRole('radio', { name: t('tree.list') });
  await choice.press('ArrowRight');
  await expect(page).toHaveURL(/view=tree/);
  const opener = (title: string, count: number) =>
    list.getByRole('button', { name: t('tree.children', { title, count }) });
  await expect(row('Barns')).toBeVisible();
  await expect(row('Kiln 01')).toHaveCount(0);

  await row('Kilns').press('ArrowRight');
  await expect(opener('Kilns', COUNT)).toHaveAttribute('aria-expanded', 'true');
  await expect(row('Kiln 01')).toBeVisible();
  await row('Kilns').press('ArrowDown');
  await expect(row('Kiln 01')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(row('Door of the kiln')).toBeVisible();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(row('Door of the kiln')).toBeChecked();
  await list.getByRole('button', { name: t('tree.more', { title: 'Kilns' }) }).press('Enter');
  await expect(row(`Kiln ${COUNT}`)).toBeVisible();
  await expectAccessible(page);

  // Everything is in the address.
  await page.reload();
  await expect(row('Door of the kiln')).toBeVisible();
  await row('Door of the kiln').press('ArrowLeft');
  await expect(row('Kiln 01')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(row('Door of the kiln')).toHaveCount(0);

  // A page that is hidden by its parent's arrow is no longer selected.
  await page.keyboard.press('ArrowRight');
  await row('Door of the kiln').press('Space');
  await expect(row('Door of the kiln')).toBeChecked();
  await opener('Kiln 01', 1).press('Enter');
  await expect(row('Door of the kiln')).toHaveCount(0);
  await opener('Kiln 01', 1).press('Enter');
  await expect(row('Door of the kiln')).not.toBeChecked();
  await opener('Kiln 01', 1).press('Enter');

  await list.getByRole('button', { name: t('menu', { title: 'Kiln 01' }) }).press('Enter');
  await page.getByRole('menuitem', { name: t('move') }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog
    .getByLabel(tMoving('parent'))
    .selectOption({ label: tMoving('page', { title: 'Barns', path: '/barns' }) });
  await dialog.getByRole('button', { name: tMoving('moveSave') }).press('Enter');
  await expect(opener('Barns', 1)).toBeVisible();
  await expect(opener('Kilns', COUNT - 1)).toBeVisible();
  const parentOf = async (id: string) => (await api.get(paths.entry('page', id))).draft.parent;
  expect(await parentOf(first)).toBe(barns);
  expect(await parentOf(door)).toBe(first);
  const panel = page.getByRole('region', { name: t('batch.label') });
  await panel.getByRole('button', { name: tChanges('undo') }).press('Enter');
  await expect(opener('Kilns', COUNT)).toBeVisible();
  expect(await parentOf(first)).toBe(kilns);

  // What a search finds is a list.
  await page.getByRole('searchbox', { name: t('search') }).fill('door');
  await expect(row('Door of the kiln')).toBeVisible();
  await expect(row('Kilns')).toHaveCount(0);
});
