import { readFile } from 'node:fs/promises';
import { createApiClient } from '#components/api/api-client.ts';
import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';

const tSettings = translator('settings');
const tCosts = translator('costs');
const t = translator('budget');
const tComposer = translator('composer');
const tMessageAction = translator('messageAction');
const tModel = translator('model');
const tTranscript = translator('transcript');

/** Part of the English text of every refusal because of a budget. */
const BUDGET_USED_UP = 'so no paid model is asked';

test('a notice at 80 %, a stop at 100 %, an effective raise, and the page of the costs', async ({
  desk,
  page,
  startScripted,
}) => {
  const { server } = await startScripted(() => ({ text: 'Done.', usage: { cost: 0.85 } }));
  await createApiClient({ baseUrl: server.url }).saveSettings({ conversationBudget: 1 });
  await page.goto(server.url);
  await desk.ask('Look at the opening hours');
  await expect(page.getByText(t('near.conversation', { percent: 85 }))).toBeVisible();

  // The cost of a turn of this conversation is shown with each model.
  await page.getByRole('button', { name: tComposer('model') }).click();
  const choices = page.getByRole('listbox', { name: tModel('list') });
  await expect(choices.getByRole('option').first()).toContainText(/tokens≈ \$[\d.]+ a turnpictures/);
  await expect(page.getByText(tModel('thisTurn', { turns: 1 }))).toBeVisible();
  await page.keyboard.press('Escape');

  // The turn that reaches the budget ends as any other; the next one is not begun.
  await expect(await desk.ask('And the holidays')).toContainText('Done.');
  await expect(page.getByText(t('reached.conversation'))).toBeVisible();
  await desk.ask('And on');
  const notice = page.getByRole('alert').filter({ hasText: BUDGET_USED_UP });
  await notice.getByRole('link', { name: tTranscript('budgetPlace') }).click();
  const budget = page.getByRole('group', { name: tSettings('labels.conversationBudget'), exact: true });
  await budget.getByRole('spinbutton').fill('5');
  await page.getByRole('button', { name: tSettings('save.save'), exact: true }).click();
  await expect(page.getByText(tSettings('save.saved', { count: 1 }))).toBeVisible();
  await page.goBack();
  await desk.answers
    .last()
    .getByRole('button', { name: tMessageAction('retry') })
    .click();
  await expect(desk.answers).toHaveText([/Done\./, /Done\./, /Done\./]);
  await desk.untilIdle();

  // By conversation: the spending of a server outlives the conversations of other tests.
  await page.goto(`${server.url}/admin/costs`);
  await expect(page.getByRole('figure', { name: tCosts('chart') }).locator('.recharts-bar-rectangle')).not.toHaveCount(
    0,
  );
  await page.getByLabel(tCosts('by'), { exact: true }).selectOption('conversation');
  const table = page.getByRole('table', { name: tCosts('table') });
  await expect(table.getByRole('row', { name: 'Look at the opening hours' })).toContainText('$2.55');
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: tCosts('csv') }).click();
  const csv = await readFile(await (await saved).path(), 'utf8');
  expect(csv).toMatch(/^\ufeffconversation,name,calls,/);
  expect(csv).toMatch(/ses_\w+,Look at the opening hours,3,.*,2\.55,/);
});
