import { translator } from '#components/i18n.ts';
import { expect, test } from '#tests/e2e/support/desk-test';
import { holdRequests } from '#tests/e2e/support/waits';
import { createGate, newestRequest } from '#tests/e2e/support/scripted-model';

const tTranscript = translator('transcript');
const t = translator('queue');

test('messages written before and during a turn wait in order, are edited, and are answered once', async ({
  desk,
  page,
  startScripted,
}) => {
  const beginning = createGate();
  const { server, provider } = await startScripted(async (request) => {
    if (!newestRequest(request).includes('Begin')) return { text: 'All of it is done.' };
    await beginning.opened;
    return { text: 'Begun.' };
  });
  // The conversation is created late, and the first of the messages in it is sent slowly: no other overtakes it.
  const created = await holdRequests(page, '**/api/sessions', 'POST');
  const slow = createGate();
  await page.route('**/api/message/queue', async (route) => {
    if (route.request().postData()?.includes('Paint it blue')) await slow.opened;
    await route.continue();
  });
  await page.goto(server.url);
  await desk.send('Begin');
  await expect(desk.requests).toHaveText([/Begin/]);
  for (const text of ['Paint it blue', 'Make it smal']) await desk.send(text);
  await desk.composer.fill('Half a thought');
  created.open();
  await expect(page).toHaveURL(/\/c\/ses_/);
  await expect(desk.stopButton).toBeVisible();
  await expect(page.getByText(/^Thinking… \d+ s$/)).toBeVisible();
  await expect(desk.composer).toHaveValue('Half a thought');
  await expect(desk.sidebar.getByRole('link', { name: 'Begin' })).toHaveCount(1);
  // Written in the conversation while the earlier ones are not accepted yet.
  await desk.send('Throw it away');
  slow.open();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Paint it blue/, /Make it smal/, /Throw it away/]);

  // Text of an edit is in the composer after a visit elsewhere.
  const edit = (text: string) => desk.waiting(text).getByRole('button', { name: t('edit') });
  const field = page.getByRole('textbox', { name: t('editLabel') });
  await edit('Make it smal').click();
  await expect(field).toBeFocused();
  await page.keyboard.type('l!');
  const conversation = new URL(page.url()).pathname;
  await desk.newChat();
  await desk.sidebar.locator(`a[href="${conversation}"]`).click();
  await expect(desk.composer).toHaveValue('Make it small!');
  await desk.composer.fill('');
  await edit('Make it smal').click();
  await expect(field).toBeFocused();
  await page.keyboard.type('l, please');
  await page.keyboard.press('Enter');
  await expect(edit('Make it small, please')).toBeFocused();
  await desk
    .waiting('Throw it away')
    .getByRole('button', { name: t('remove') })
    .click();
  await expect(desk.composer).toBeFocused();
  await desk
    .waiting('Make it small')
    .getByRole('button', { name: t('sendNext') })
    .click();
  await expect(desk.queue.getByRole('listitem')).toHaveText([/Make it small, please/, /Paint it blue/]);

  beginning.open();
  await expect(desk.answers.last()).toContainText('All of it is done.');
  await desk.untilIdle();
  const sent = desk.requests.last();
  for (const visit of ['sent', 'reloaded']) {
    await expect(desk.queue, visit).toHaveCount(0);
    await expect(desk.requests).toHaveCount(2);
    // As it was typed; only the model reads what joins it.
    await expect(sent.getByRole('list', { name: tTranscript('sentTogether', { count: 2 }) })).toBeVisible();
    await expect(sent.getByRole('listitem')).toHaveText(['Make it small, please', 'Paint it blue']);
    if (visit === 'sent') await page.reload();
  }
  expect(provider.requests).toHaveLength(2);
  expect(newestRequest(provider.requests.at(-1)!)).toContain('Also: Paint it blue');
});
