import { translator } from '#components/i18n.ts';
import { changeQuote } from '#tests/e2e/support/other-hands';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const tChangesPage = translator('changesPage');
const t = translator('changes');
const tShared = translator('shared');

test('changes of the whole site are listed, filtered and undone; an earlier version is restored', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(think);
  await page.goto(server.url);
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

  await page.goto(`${server.url}/library/changes`);
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button', { expanded: false }) });
  await expect(rows.first()).toContainText('Clay diary');
  await page.getByLabel(tChangesPage('whoLabel')).selectOption('api');
  await expect(rows).toHaveCount(1);
  await page.getByLabel(tChangesPage('whoLabel')).selectOption('assistant');
  await expect(rows.first()).toContainText(t('inConversation'));
  await page.getByLabel(tChangesPage('kindLabel')).selectOption('asset');
  await expect(page.getByText(tChangesPage('noMatch'))).toBeVisible();
  await page.getByRole('button', { name: tChangesPage('showAll') }).click();
  await rows
    .first()
    .getByRole('button', { name: /^Undo: Restored/ })
    .click();
  await expect(page.getByText(t('undone'), { exact: true })).toBeVisible();
});
