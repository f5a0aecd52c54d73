import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { changeQuote } from '#tests/e2e/support/other-hands';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const tChangesPage = translator('changesPage');
const t = translator('changes');
const tHistory = translator('history');
const tShared = translator('shared');

// Without the fixture `desk`: the browser reports the page whose publication is refused.
test('changes are found, restored, published at the end of the day, listed, and undone', async ({
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  const desk = new Workspace(page);
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(server.url);
  await desk.ask('Create a page called Glaze notes');
  await desk.ask('Create a page called Clay diary');
  await desk.ask('Add a quote section to Clay diary with the quote "First words"');
  await changeQuote(page, 'clay-diary', 'Second words');
  await expect(desk.preview.getByText('Second words')).toBeVisible();

  await desk.chooseOfPage(tShared('page.history'));
  const history = page.getByRole('dialog', { name: t('history.title', { title: 'Clay diary' }) });
  await expect(history.getByRole('listitem')).toHaveCount(3);
  await history.getByRole('button', { expanded: false }).first().click();
  await expect(history.locator('ins')).toHaveText(/Second$/);
  await history
    .getByRole('listitem')
    .nth(1)
    .getByRole('button', { name: /^Restore this version/ })
    .click();
  await expect(desk.preview.getByText('First words')).toBeVisible();

  // What was said is found, and leads to its place.
  const openSearch = page
    .getByRole('navigation', { name: tHistory('label') })
    .getByRole('button', { name: tHistory('search.label') });
  const sheet = page.getByRole('dialog', { name: tHistory('name') });
  const field = sheet.getByRole('searchbox', { name: tHistory('search.label') });
  await openSearch.click();
  await expect(field).toBeFocused();
  await field.fill('glaze notes');
  const hits = sheet.getByRole('list', { name: tHistory('search.results') }).getByRole('link');
  await hits.filter({ hasText: tHistory('search.you') }).click();
  await expect(page.locator('[data-row]:focus')).toContainText('Glaze notes');

  // Of the drafts at the end of the day, the one that cannot be published is named next to the one that is.
  await openSearch.click();
  await sheet.getByRole('button', { name: tHistory('leave.open') }).click();
  await page.route('**/publish', (route) => {
    const error = { code: 'conflict', message: 'The page above is a draft.' };
    return route.fulfill({ status: 409, json: { error } });
  });
  await page.route('**/publish', (route) => route.continue(), { times: 1 });
  await sheet.getByRole('button', { name: tHistory('leave.publishAll') }).click();
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: tHistory('leave.publishAll') })
    .click();
  const toast = page.locator('[data-sonner-toast][data-front=true]');
  await expect(toast).toContainText('The page above is a draft.');
  await expect(toast).toContainText(tHistory('leave.published', { pages: 1, what: 'pages' }));
  await expect(toast.getByRole('button', { name: t('undo') })).toBeVisible();

  await page.goto(`${server.url}/library/changes`);
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button', { expanded: false }) });
  await page.getByLabel(tChangesPage('whoLabel')).selectOption('api');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('Clay diary');
  await page.getByLabel(tChangesPage('kindLabel')).selectOption('asset');
  await expect(page.getByText(tChangesPage('noMatch'))).toBeVisible();
  await page.getByRole('button', { name: tChangesPage('showAll') }).click();
  await rows.getByRole('button', { name: /^Undo: Restored/ }).click();
  await expect(page.getByText(t('undone'), { exact: true })).toBeVisible();

  // The links of the list lead to the turn of a change.
  const created = page.getByRole('listitem').filter({ hasText: 'Created the page "Clay diary"' });
  await created.getByRole('link', { name: /^Go to the conversation/ }).click();
  await expect(page.getByRole('dialog', { name: /^Checkpoint from / })).toContainText('Created the page "Clay diary"');
});
