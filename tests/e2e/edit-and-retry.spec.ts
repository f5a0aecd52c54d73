import type { Page } from '@playwright/test';
import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { think } from '#tests/e2e/support/scripted-model';

const tMessageAction = translator('messageAction');
const t = translator('transcript');

const button = (desk: Workspace, name: string) => desk.transcript.getByRole('button', { name, exact: true });
const field = (desk: Workspace) => desk.transcript.getByRole('textbox', { name: tMessageAction('editLabel') });
const statusOf = async (page: Page, path: string) => (await page.request.get(new URL(path, page.url()).href)).status();

test('an edit replaces a request and undoes its page, a retry keeps it, in both tabs', async ({
  desk,
  page,
  openOther,
  startScripted,
}) => {
  let isAgain = false;
  const { server } = await startScripted((request, index) =>
    isAgain ? { text: 'Only words this time.' } : think(request, index),
  );
  await page.goto(server.url);
  await desk.ask('Create a page titled "Glazes"');
  await desk.ask('Create a page titled "Kilns"');
  const other = await openOther();
  await other.page.goto(page.url());
  await expect(other.requests).toHaveCount(2);

  await button(desk, tMessageAction('edit')).click();
  await expect(field(desk)).toBeFocused();
  await expect(field(desk)).toHaveValue('Create a page titled "Kilns"');
  await page.keyboard.press('Escape');
  await expect(button(desk, tMessageAction('edit'))).toBeFocused();

  await page.keyboard.press('Enter');
  await expect(page.getByRole('checkbox', { name: tMessageAction('undoChanges', { count: 1 }) })).toBeChecked();
  await field(desk).fill('Create a page titled "Ovens"');
  await field(desk).press('Enter');
  for (const tab of [desk, other]) {
    await expect(tab.requests).toHaveText([/Glazes/, /Ovens/]);
    await expect(tab.answers.last()).toContainText('Ovens');
    await tab.untilIdle();
  }
  expect(await statusOf(page, '/api/content/pages/kilns')).toBe(404);
  expect(await statusOf(page, '/api/content/pages/ovens')).toBe(200);
  expect(await statusOf(page, '/api/content/pages/glazes')).toBe(200);
  await expect(desk.composer).toBeFocused();

  await page.reload();
  for (const tab of [desk, other]) {
    const earlier = tab.transcript.getByRole('region', { name: t('earlierVersion') });
    await expect(earlier).toBeHidden();
    await button(tab, t('showEarlierVersion')).click();
    await expect(earlier.getByRole('article', { name: t('you') })).toContainText('Kilns');
    await expect(earlier.getByRole('article', { name: t('assistant') })).toContainText('Kilns');
    for (const name of [tMessageAction('copy'), tMessageAction('edit'), tMessageAction('retry')])
      await expect(earlier.getByRole('button', { name, exact: true })).toHaveCount(0);
    await button(tab, t('hideEarlierVersion')).click();
    await expect(earlier).toBeHidden();
  }

  // A retry offers to undo the changes, or keeps them.
  isAgain = true;
  await button(desk, tMessageAction('retry')).click();
  const choice = page.getByRole('checkbox', { name: tMessageAction('undoChanges', { count: 1 }) });
  await expect(choice).toBeChecked();
  await choice.uncheck();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: tMessageAction('retry') })
    .click();
  for (const tab of [desk, other]) await expect(tab.answers.last()).toContainText('Only words this time');
  expect(await statusOf(page, '/api/content/pages/ovens')).toBe(200);
});
