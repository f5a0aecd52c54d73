import type { Page } from '@playwright/test';
import { type ApiClient, createApiClient } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { expectAccessible } from '#tests/e2e/support/accessible';
import { think } from '#tests/e2e/support/scripted-model';
import { expect, test } from '#tests/e2e/support/desk-test';
import { isDeep } from '#tests/support/deep';

const t = translator('pages');
const tShared = translator('shared');
const tChanges = translator('changes');

const COUNT = 300;
/** Pages besides, which the search leaves out: a site of 2,000 in `npm run test:deep`. */
const OTHERS = isDeep ? 1_700 : 0;

const titleOf = (name: string, number: number) => `${name} ${String(number).padStart(3, '0')}`;

/** Makes pages with a word that a search finds, several at a time. */
async function createPages(api: ApiClient, name: string, count: number, word: string): Promise<void> {
  const sections = [{ type: 'text' as const, fields: { body: `Fired in the ${word}.` } }];
  const titles = Array.from({ length: count }, (_, at) => titleOf(name, at + 1));
  while (titles.length > 0)
    await Promise.all(titles.splice(0, 20).map((title) => api.createEntry('page', { title, sections })));
}

async function publishSelected(page: Page): Promise<void> {
  const bar = page.getByRole('region', { name: t('selection.label') });
  await bar.getByRole('button', { name: tShared('page.publish'), exact: true }).press('Enter');
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: tShared('page.publish') }).press('Enter');
}

test('an editor publishes 300 pages, cancels and undoes it, and leaves a silent site', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const api = createApiClient({ baseUrl: server.url });
  await createPages(api, 'Batch', COUNT, 'anagama');
  await createPages(api, 'Other', OTHERS, 'kiln');
  const published = async () =>
    (await api.get(paths.entryList('page', { search: 'anagama', status: 'published' }, 1))).total;

  await page.goto(`${server.url}/library/pages?q=anagama&sort=title`);
  const list = page.getByRole('region', { name: t('types.page.title') });
  await expect(list.getByRole('heading')).toContainText(t('count', { count: COUNT }));
  // The place that was found.
  await expect(list.getByRole('link', { name: 'Fired in the anagama.' }).first()).toBeVisible();

  const box = (number: number) =>
    list.getByRole('checkbox', { name: t('selection.select', { title: titleOf('Batch', number) }) });
  const bar = page.getByRole('region', { name: t('selection.label') });
  await box(1).press('Space');
  await box(1).press('Shift+ArrowDown');
  await expect(box(2)).toBeFocused();
  await expect(bar).toContainText(t('selection.count', { count: 2 }));
  await box(9).click({ modifiers: ['Shift'] });
  await expect(bar).toContainText(t('selection.count', { count: 9 }));
  await bar.getByRole('button', { name: t('selection.all', { count: COUNT }) }).press('Enter');
  await expect(bar).toContainText(t('selection.count', { count: COUNT }));
  await expectAccessible(page);

  // The third request waits until the cancel, and its answer is lost: what it did is undone as well.
  const held = Promise.withResolvers<void>();
  let requests = 0;
  await page.route('**/api/content/batch', async (route) => {
    requests += 1;
    if (requests !== 3) return route.continue();
    await held.promise;
    // The browser adds this header after the route: it tells a person from a program.
    await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } });
    return route.abort();
  });
  await publishSelected(page);
  const panel = page.getByRole('region', { name: t('batch.label') });
  await expect(panel).toContainText(t('batch.running.publish', { done: 40, total: COUNT }));
  await expect(panel).toContainText(t('batch.latest', { title: titleOf('Batch', 40) }));
  await panel.getByRole('button', { name: tShared('common.cancel') }).press('Enter');
  held.resolve();
  await expect(panel).toContainText(t('batch.left', { done: 60, total: COUNT }));
  await expect(panel).toContainText(t('batch.done.publish', { count: 60 }));
  expect(await published()).toBe(60);
  await panel.getByRole('button', { name: tChanges('undo') }).press('Enter');
  await expect(panel).toContainText(t('batch.done.undo', { count: 60 }));
  expect(await published()).toBe(0);
  await panel.getByRole('button', { name: tShared('common.close') }).press('Enter');

  // The address has the whole view, so that reload and Back keep it.
  await page.getByLabel(t('state'), { exact: true }).selectOption({ label: t('states.draft') });
  await expect(page).toHaveURL(/\?q=anagama&state=draft&sort=title$/);
  await list.getByRole('link', { name: t('open', { title: titleOf('Batch', 1) }) }).click();
  await expect(page).not.toHaveURL(/library/);
  await page.goBack();
  await expect(page.getByRole('searchbox', { name: t('search') })).toHaveValue('anagama');
  await expect(page.getByLabel(t('state'), { exact: true })).toHaveValue('draft');
  await expect(page.getByLabel(t('order'), { exact: true })).toHaveValue('title');

  // A connected site that never answers: it is not waited for, and its outcome is reported as unknown.
  await page.route('**/api/content/batch', () => undefined);
  await box(1).press('Space');
  await publishSelected(page);
  await panel.getByRole('button', { name: tShared('common.cancel') }).press('Enter');
  await panel.getByRole('button', { name: t('batch.leave') }).press('Enter');
  await expect(panel).toContainText(t('batch.notWaited'));
  await expect(panel).toContainText(t('batch.uncertain', { count: 1 }));
});
