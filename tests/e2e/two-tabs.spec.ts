import { translator } from '#components/i18n.ts';
import { Workspace } from '#tests/e2e/support/desk';
import { expect, test } from '#tests/e2e/support/desk-test';
import { newestRequest } from '#tests/e2e/support/scripted-model';

const tTranscript = translator('transcript');
const t = translator('queue');

const WORDS = Array.from({ length: 6_000 }, (_, index) => `word${index + 1} `);

test('two tabs stay in step: turns, queue and stop', async ({ desk, page, openOther, startScripted }) => {
  const scripted = await startScripted((request) =>
    newestRequest(request).includes('story') ? { chunks: WORDS, chunkDelayMs: 100 } : { text: 'Good day.' },
  );
  await page.goto(scripted.server.url);
  await desk.ask('Hello');
  const other = await openOther();
  await other.page.goto(page.url());
  await expect(other.answers).toHaveText([/Good day\./]);

  await desk.send('Tell me a story');
  await expect(other.requests).toHaveText([/Hello/, /Tell me a story/]);
  await expect(other.answers.last()).toContainText('word3 ');
  await expect(other.stopButton).toBeVisible();

  await other.send('From the other tab');
  await expect(desk.waiting('From the other tab')).toBeVisible();
  await desk.send('From this tab');
  await expect(other.queue.getByRole('listitem')).toHaveText([/From the other tab/, /From this tab/]);
  await other
    .waiting('From this tab')
    .getByRole('button', { name: t('edit') })
    .click();
  await expect(other.page.getByRole('textbox', { name: t('editLabel') })).toBeFocused();
  await other.page.keyboard.type(', edited');
  await other.page.keyboard.press('Enter');
  await expect(desk.waiting('From this tab, edited')).toBeVisible();
  await desk
    .waiting('From the other tab')
    .getByRole('button', { name: t('remove') })
    .click();
  await expect(other.waiting('From the other tab')).toHaveCount(0);

  await other.stopButton.click();
  for (const tab of [desk, other]) {
    await expect(tab.answers.last()).toContainText(tTranscript('stopped'));
    await expect(tab.stopButton).toHaveCount(0);
    await expect(tab.page.getByText(t('held'))).toBeVisible();
  }
  await other.page.getByRole('button', { name: t('sendAll') }).click();
  for (const tab of [desk, other]) {
    await expect(tab.requests).toHaveText([/Hello/, /Tell me a story/, /From this tab, edited/]);
    await expect(tab.answers.last()).toContainText('Good day.');
    await expect(tab.queue).toHaveCount(0);
  }
  for (const tab of [desk, other]) await tab.untilIdle();
  const answersOf = async (tab: Workspace) => (await tab.answers.allInnerTexts()).join('\n');
  await expect(async () => expect(await answersOf(desk)).toBe(await answersOf(other))).toPass();
});
